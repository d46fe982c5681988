import { renewed } from '../../../shared/ports/renewed.ts';
import type { EncryptService } from '../../../shared/ports/security.ts';
import { isCipherText } from '../../../shared/security/aes-gcm-text.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';

/** Encrypts and decrypts the encrypted fields of records. */
export class FieldCipher {
  readonly #encryptService: EncryptService;

  constructor(encryptService: EncryptService) {
    this.#encryptService = encryptService;
  }

  /**
   * Values as they are stored: those of encrypted fields as cipher texts. Cipher texts that other fields have kept are
   * stored under the newest key, so that no write brings back a former one.
   */
  async encrypt(
    { definition }: EntityModel,
    values: RecordHeader['values'],
  ): Promise<RecordHeader['values']> {
    const isEncrypted = new Set(
      definition.fields.filter((field) => field.encrypted).map(({ code }) => code),
    );
    const kept = Object.entries(values).filter(
      ([code, value]) => !isEncrypted.has(code) && typeof value === 'string' && isCipherText(value),
    );
    const moved = await Promise.all(
      kept.map(
        async ([code, value]): Promise<[string, unknown]> => [
          code,
          (await renewed(String(value), this.#encryptService)) ?? value,
        ],
      ),
    );
    const newest = moved.length === 0 ? values : { ...values, ...Object.fromEntries(moved) };
    return mapEncrypted(definition, newest, (value) =>
      this.#encryptService.encrypt(JSON.stringify(value)),
    );
  }

  /** Cipher texts of stored values under the newest key; `undefined` where there is none that decrypts. */
  renew(text: string): Promise<string | undefined> {
    return renewed(text, this.#encryptService);
  }

  /** Before many texts are renewed. */
  async refreshKeys(): Promise<void> {
    await this.#encryptService.refreshKeys?.();
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
