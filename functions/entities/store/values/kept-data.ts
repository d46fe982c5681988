import type { EntityModel } from '../../domain/definitions/model.ts';
import type { JsonObject } from '../../domain/entity/json.ts';
import type { RecordHeader } from '../../domain/entity/record.ts';
import type { FieldCipher } from './field-cipher.ts';

/** Values of an update as its job keeps them: those of encrypted fields are cipher texts. */
export type KeptData = Pick<RecordHeader, 'values' | 'sealed' | 'generation'>;

/** Values that a job keeps. */
export const keptData = (
  cipher: FieldCipher,
  model: EntityModel,
  values: JsonObject,
): Promise<KeptData> => cipher.encrypt(model, { values, generation: model.generation });

/** What was sent, by the definition of now. */
export const sentData = async (
  cipher: FieldCipher,
  model: EntityModel,
  kept: KeptData,
): Promise<JsonObject> => (await cipher.decrypt(model, kept)).values;
