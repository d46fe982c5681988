import type { TestContext } from '../../helpers/world/a-context.ts';

/** Stores the key of encrypted fields as the settings module does. */
export async function storeEncryptionKey({ unitOfWork }: TestContext): Promise<void> {
  const at = '2026-03-01T09:30:00.000Z';
  const name = 'security.aes_secret';
  await unitOfWork(async (unit) => {
    unit.put({
      ...{ pk: `setting#${name}`, sk: 'current', type: 'setting', name, desc: '', version: 1 },
      ...{ value: 'a secret of more than sixteen letters', encrypted: false },
      ...{ createdAt: at, createdBy: 'x', updatedAt: at, updatedBy: 'x' },
    });
  });
}
