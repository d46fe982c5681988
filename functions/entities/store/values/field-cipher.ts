import { renewed } from '../../../../shared/ports/renewed.ts';
import type { EncryptService } from '../../../../shared/ports/security.ts';
import { isCipherText } from '../../../../shared/security/aes-gcm-text.ts';
import { type EntityModel, widened } from '../../domain/definitions/model.ts';
import type { FieldDefinition } from '../../domain/entity/field.ts';
import type { RecordHeader } from '../../domain/entity/record.ts';

/** Values by field, and which of them are cipher texts: of a record, or of a change that a job keeps. */
export type SealedValues = Pick<RecordHeader, 'values' | 'sealed' | 'generation'>;

/** Encrypts and decrypts fields of records. A record lists which of its values are cipher texts. */
export class FieldCipher {
  readonly #encryptService: EncryptService;

  constructor(encryptService: EncryptService) {
    this.#encryptService = encryptService;
  }

  /**
   * A record as it is stored: values of encrypted fields as cipher texts. Those that removed fields have left are
   * stored under the newest key, so that no write brings back a former one.
   */
  async encrypt<V extends SealedValues>(model: EntityModel, header: V) {
    const { fields } = model.definition;
    const values: Record<string, unknown> = { ...header.values };
    const hidden = Object.keys(values).filter((code) => !model.field(code));
    for (const code of hidden) {
      const value = values[code];
      if (typeof value === 'string' && isCipherText(value)) {
        values[code] = (await this.renew(value)) ?? value;
      }
    }
    const open = fields.filter(({ code, encrypted }) => encrypted && values[code] !== undefined);
    await Promise.all(
      open.map(async ({ code }) => {
        values[code] = await this.#encryptService.encrypt(JSON.stringify(values[code]));
      }),
    );
    const kept = (header.sealed ?? []).filter((code) => hidden.includes(code));
    const sealed = [...open.map(({ code }) => code), ...kept];
    const { sealed: _past, ...rest } = header;
    const isListed = sealed.length > 0 || fields.some((field) => isByForm(model, field));
    return { ...rest, values, ...(isListed && { sealed }) };
  }

  /** A stored cipher text under the newest key; `undefined` when it cannot be decrypted. */
  renew(text: string): Promise<string | undefined> {
    return renewed(text, this.#encryptService);
  }

  /** Reads the keys anew; to be called before many texts are renewed. */
  async refreshKeys(): Promise<void> {
    await this.#encryptService.refreshKeys?.();
  }

  /** A record with every value of its fields in the clear. */
  decrypt<V extends SealedValues>(model: EntityModel, header: V): Promise<V> {
    return this.#open(model, header, () => true);
  }

  /** A record with the values of fields in the clear that are not encrypted any more. */
  decryptFormer(model: EntityModel, header: RecordHeader): Promise<RecordHeader> {
    return this.#open(model, header, ({ encrypted }) => !encrypted);
  }

  /** Fields whose stored values are cipher texts. */
  sealedOf(model: EntityModel, { values, sealed }: RecordHeader): readonly string[] {
    if (sealed) return sealed;
    const { fields } = model.definition;
    if (!fields.some((field) => isByForm(model, field))) return [];
    return Object.entries(values).flatMap(([code, value]) => {
      const field = model.field(code);
      const isTold = !field || isByForm(model, field);
      return isTold && typeof value === 'string' && isCipherText(value) ? [code] : [];
    });
  }

  async #open<V extends SealedValues>(
    model: EntityModel,
    header: V,
    isWanted: (field: FieldDefinition) => boolean,
  ): Promise<V> {
    const { sealed = [], generation } = header;
    const codes = sealed.filter((code) => {
      const field = model.field(code);
      return field !== undefined && isWanted(field);
    });
    if (codes.length === 0) return header;
    const values: Record<string, unknown> = { ...header.values };
    await Promise.all(
      codes.map(async (code) => {
        const value = values[code];
        if (typeof value !== 'string') return;
        const plain: unknown = JSON.parse(await this.#encryptService.decrypt(value));
        values[code] = widened(model, code, plain, generation);
      }),
    );
    return { ...header, values, sealed: sealed.filter((code) => !codes.includes(code)) };
  }
}

/** Whether records that do not list their cipher texts may hold some in a field: then the form of a value decides. */
const isByForm = ({ definition }: EntityModel, { encrypted, sealedByForm }: FieldDefinition) =>
  sealedByForm === true || (encrypted && definition.life === undefined);
