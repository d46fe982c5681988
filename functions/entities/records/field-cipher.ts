import type { EncryptService } from '../../../shared/ports/security.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';

/** Encrypts and decrypts the encrypted fields of records. */
export class FieldCipher {
  readonly #encryptService: EncryptService;

  constructor(encryptService: EncryptService) {
    this.#encryptService = encryptService;
  }

  /** Values as they are stored: those of encrypted fields as cipher texts. */
  encrypt(
    { definition }: EntityModel,
    values: RecordHeader['values'],
  ): Promise<RecordHeader['values']> {
    return mapEncrypted(definition, values, (value) =>
      this.#encryptService.encrypt(JSON.stringify(value)),
    );
  }

  /** Values with decrypted fields. */
  decrypt(
    { definition }: EntityModel,
    values: RecordHeader['values'],
  ): Promise<RecordHeader['values']> {
    return mapEncrypted(definition, values, async (value) =>
      typeof value === 'string' ? JSON.parse(await this.#encryptService.decrypt(value)) : value,
    );
  }
}

async function mapEncrypted(
  { fields }: EntityModel['definition'],
  values: RecordHeader['values'],
  map: (value: unknown) => Promise<unknown>,
): Promise<RecordHeader['values']> {
  const codes = fields.filter(({ code, encrypted }) => encrypted && values[code] !== undefined);
  if (codes.length === 0) return values;
  const mapped = await Promise.all(
    codes.map(async ({ code }): Promise<[string, unknown]> => [code, await map(values[code])]),
  );
  return { ...values, ...Object.fromEntries(mapped) };
}
