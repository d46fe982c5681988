import { expect, it } from 'vitest';
import { hashPassword, verifyHash } from '../../../../functions/identity/accounts/password-hash.ts';

it('knows a password by its hash, in any form of its characters, and no other', async () => {
  const hash = await hashPassword('Mật khẩu 1'.normalize('NFC'));

  expect(hash).not.toContain('khẩu');
  expect(await verifyHash('Mật khẩu 1'.normalize('NFD'), hash)).toBe(true);
  expect(await verifyHash('Mật khẩu 2', hash)).toBe(false);
  expect(await hashPassword('Mật khẩu 1')).not.toBe(hash);
});
