import { describe, expect, it } from 'vitest';
import { createSettingsModule } from '../../../functions/settings/index.ts';
import { principalOf } from '../../helpers/api/principals.ts';
import { aContext, type ContextOptions, type TestContext } from '../../helpers/world/a-context.ts';
import { anAesKey } from './settings-api.ts';

const NAME = 'security.aes_secret';
const admin = principalOf({ sub: 'demo', roles: ['admin'] });

function aModule(options: ContextOptions = {}) {
  const context = aContext(options);
  const { services } = createSettingsModule(context);
  const saveKey = (value: string) => services.settingService.save({ name: NAME, value }, admin);
  return { ...services, context, saveKey };
}

/** Another warm environment of the same deployment. */
const besides = (context: TestContext, options: ContextOptions = {}) =>
  aModule({ ...options, besides: context });

describe('EncryptService', () => {
  it.each(['', 'x', 'Zażółć gęślą jaźń', '\u{1F600}'.repeat(1_000), 'enc:v1:nested'])(
    'encrypts and decrypts %s',
    async (plain) => {
      const { encryptService, saveKey } = aModule();
      await saveKey('a passphrase of some length');

      const encrypted = await encryptService.encrypt(plain);

      expect(await encryptService.decrypt(encrypted)).toBe(plain);
      expect(await encryptService.needsReencrypt(encrypted)).toBe(false);
    },
  );

  it('refuses to work without a key, whatever it is asked', async () => {
    const { encryptService } = aModule();
    const missing = { code: 'ENCRYPT_KEY_MISSING', status: 409 };

    await expect(encryptService.encrypt('x')).rejects.toMatchObject(missing);
    await expect(encryptService.decrypt('enc:v1:01234567:AAAA')).rejects.toMatchObject(missing);
    await expect(encryptService.needsReencrypt('x')).rejects.toMatchObject(missing);
  });

  it('works as soon as the key is saved in the same environment', async () => {
    const { encryptService, saveKey } = aModule();
    await expect(encryptService.encrypt('x')).rejects.toThrow();

    await saveKey(anAesKey());

    await expect(encryptService.encrypt('x')).resolves.toMatch(/^enc:v1:/);
  });

  it.each([
    ['plain text', 'hello', 'ENCRYPT_MALFORMED'],
    ['a cut text', 'enc:v1:01234567:AAAA', 'ENCRYPT_KEY_UNKNOWN'],
    ['an unknown version', 'enc:v9:01234567:AAAA', 'ENCRYPT_MALFORMED'],
  ])('refuses %s', async (_what, text, code) => {
    const { encryptService, saveKey } = aModule();
    await saveKey(anAesKey());

    await expect(encryptService.decrypt(text)).rejects.toMatchObject({ code, status: 422 });
  });

  it('refuses a changed text', async () => {
    const { encryptService, saveKey } = aModule();
    await saveKey(anAesKey());
    const text = await encryptService.encrypt('hello');

    const changed = encryptService.decrypt(text.slice(0, -2) + (text.endsWith('AA') ? 'BB' : 'AA'));

    await expect(changed).rejects.toMatchObject({ code: 'ENCRYPT_MALFORMED' });
  });

  it('reads what earlier keys encrypted, over three rotations', async () => {
    const { encryptService, saveKey } = aModule();
    const texts: string[] = [];
    for (const digit of [1, 2, 3, 4]) {
      await saveKey(anAesKey(digit));
      texts.push(await encryptService.encrypt(`text ${digit}`));
    }

    const plain = await Promise.all(texts.map((text) => encryptService.decrypt(text)));
    const isOld = await Promise.all(texts.map((text) => encryptService.needsReencrypt(text)));

    expect(plain).toEqual(['text 1', 'text 2', 'text 3', 'text 4']);
    expect(isOld).toEqual([true, true, true, false]);
    expect(new Set(texts.map((text) => text.split(':')[2])).size).toBe(4);
  });

  it('reads old texts when the key was deleted and another one saved', async () => {
    const { encryptService, settingService, saveKey } = aModule();
    await saveKey(anAesKey(1));
    const text = await encryptService.encrypt('x');
    await settingService.delete(NAME, admin);
    await expect(encryptService.decrypt(text)).rejects.toMatchObject({
      code: 'ENCRYPT_KEY_MISSING',
    });

    await saveKey(anAesKey(2));

    expect(await encryptService.decrypt(text)).toBe('x');
  });

  it('keeps one entry of a key that was saved again', async () => {
    const { encryptService, saveKey } = aModule();
    await saveKey(anAesKey(1));
    const text = await encryptService.encrypt('x');
    await saveKey(anAesKey(2));

    await saveKey(anAesKey(1));

    expect(await encryptService.decrypt(text)).toBe('x');
    expect(await encryptService.needsReencrypt(text)).toBe(false);
  });

  it('follows a rotation in another environment: old key within the staleness, new key afterwards', async () => {
    const { encryptService, saveKey, context } = aModule();
    await saveKey(anAesKey(1));
    const other = besides(context);
    await other.context.refreshScope.atInvocationStart();
    await other.encryptService.encrypt('warm');
    await saveKey(anAesKey(2));

    const within = await other.encryptService.encrypt('x');
    context.clock.advance(10_000);
    await other.context.refreshScope.atInvocationStart();
    const afterwards = await other.encryptService.encrypt('x');

    expect(await encryptService.needsReencrypt(within)).toBe(true);
    expect(await encryptService.needsReencrypt(afterwards)).toBe(false);
    expect(await encryptService.decrypt(within)).toBe('x');
  });

  it('reads at once what another environment encrypted with a new key', async () => {
    const { encryptService, saveKey, context } = aModule();
    await saveKey(anAesKey(1));
    const other = besides(context);
    await other.context.refreshScope.atInvocationStart();
    await other.encryptService.encrypt('warm');
    await saveKey(anAesKey(2));
    const text = await encryptService.encrypt('x');

    expect(await other.encryptService.decrypt(text)).toBe('x');
  });

  it('reads the key once for many calls', async () => {
    const { encryptService, saveKey, context } = aModule();
    await saveKey(anAesKey());
    await encryptService.encrypt('warm');

    const cost = await context.db.meter.costOf(async () => {
      const text = await encryptService.encrypt('x');
      await encryptService.decrypt(text);
    });

    expect(cost.requests).toEqual([]);
  });

  it('asks again after the table failed at first', async () => {
    const { encryptService, saveKey, context } = aModule();
    await saveKey(anAesKey());
    context.db.failNext('network', { times: 2 });
    await expect(encryptService.encrypt('x')).rejects.toThrow();
    context.db.stopFailing();

    await expect(encryptService.encrypt('x')).resolves.toMatch(/^enc:/);
  });
});

describe('EncryptService with a key in Secrets Manager', () => {
  const REFERENCE = 'secretsmanager:svc-cloud/aes#key';

  /** A secret that a test changes; `undefined` cannot be read. */
  function aSecret(value: string | undefined = anAesKey(5)) {
    const secret: { value: string | undefined; asked: Set<string> } = { value, asked: new Set() };
    const readSecret = async (reference: string): Promise<string> => {
      secret.asked.add(reference);
      if (secret.value === undefined) throw new Error('AccessDenied');
      return secret.value;
    };
    return { secret, readSecret };
  }

  it.each([
    ['bytes', anAesKey(5)],
    ['a passphrase', 'kept in the secrets manager'],
  ])('uses %s behind the reference', async (_what, value) => {
    const { secret, readSecret } = aSecret(value);
    const { encryptService, saveKey, context } = aModule({ readSecret });
    await saveKey(REFERENCE);

    const text = await encryptService.encrypt('x');

    expect(await encryptService.decrypt(text)).toBe('x');
    expect([...secret.asked]).toEqual(['svc-cloud/aes#key']);
    expect(JSON.stringify(context.db.items())).not.toContain(value);
  });

  it.each([
    ['cannot be read', undefined],
    ['is empty', ''],
    ['is a reference itself', 'secretsmanager:svc-cloud/other'],
    ['is cut', 'hex:12'],
  ])('is not saved when the secret %s', async (_what, value) => {
    const { secret, readSecret } = aSecret();
    secret.value = value;
    const { saveKey, context } = aModule({ readSecret });

    await expect(saveKey(REFERENCE)).rejects.toMatchObject({
      code: 'SETTING_INVALID',
      errors: [{ pointer: '/value', code: 'AES_SECRET_INVALID' }],
    });
    expect(context.db.items()).toEqual([]);
  });

  it('fails in an environment that cannot read the secret, and works afterwards', async () => {
    const { secret, readSecret } = aSecret();
    const { saveKey, context } = aModule({ readSecret });
    await saveKey(REFERENCE);
    const { encryptService } = besides(context, { readSecret });
    secret.value = undefined;

    await expect(encryptService.encrypt('x')).rejects.toThrow('AccessDenied');
    secret.value = anAesKey(5);

    await expect(encryptService.encrypt('x')).resolves.toMatch(/^enc:/);
  });

  it('says that there is no key when the secret has lost it', async () => {
    const { secret, readSecret } = aSecret();
    const { encryptService, saveKey } = aModule({ readSecret });
    await saveKey(REFERENCE);
    secret.value = 'hex:12';

    await expect(encryptService.encrypt('x')).rejects.toMatchObject({
      code: 'ENCRYPT_KEY_MISSING',
    });
  });

  it('keeps the other keys when a former one cannot be had any more', async () => {
    const { secret, readSecret } = aSecret();
    const { encryptService, saveKey, context } = aModule({ readSecret });
    await saveKey(anAesKey(1));
    const text = await encryptService.encrypt('x');
    await saveKey(REFERENCE);
    secret.value = undefined;
    await saveKey(anAesKey(2));

    const plain = await encryptService.decrypt(text);

    expect(plain).toBe('x');
    expect(context.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('former AES key'),
      }),
    );
  });
});

describe('EncryptService with a secret that is rotated', () => {
  /** A secret with versions, as Secrets Manager keeps them: earlier ones are found by their id. */
  function aRotatingSecret() {
    const versions: string[] = [anAesKey(1)];
    const readSecret = Object.assign(
      async (_reference: string, versionId = `v${versions.length}`) => {
        const text = versions[Number(versionId.slice(1)) - 1];
        if (text === undefined) throw new Error('ResourceNotFoundException');
        return text;
      },
      {
        versionOf: async (_reference: string, stage: 'AWSCURRENT' | 'AWSPREVIOUS') => {
          const number = versions.length - (stage === 'AWSCURRENT' ? 0 : 1);
          return number > 0 ? `v${number}` : undefined;
        },
      },
    );
    return { readSecret, rotate: (text: string) => void versions.push(text) };
  }

  async function aRotatedModule() {
    const secret = aRotatingSecret();
    const module = aModule({ readSecret: secret.readSecret });
    await module.saveKey('secretsmanager:svc-cloud/aes');
    return { ...module, secret };
  }

  it('reads what every earlier version encrypted, also in fresh environments', async () => {
    const { encryptService, settingService, secret, context } = await aRotatedModule();
    const texts = [await encryptService.encrypt('text 1')];
    for (const digit of [2, 3, 4]) {
      secret.rotate(anAesKey(digit));
      await settingService.followSecret();
      texts.push(await encryptService.encrypt(`text ${digit}`));
    }
    const fresh = besides(context, { readSecret: secret.readSecret });

    const plain = await Promise.all(texts.map((text) => encryptService.decrypt(text)));
    const elsewhere = await Promise.all(texts.map((text) => fresh.encryptService.decrypt(text)));

    expect(plain).toEqual(['text 1', 'text 2', 'text 3', 'text 4']);
    expect(elsewhere).toEqual(plain);
    expect(new Set(texts.map((text) => text.split(':')[2])).size).toBe(4);
  });

  it('goes on with the version that the ring knows until the rotation is taken over', async () => {
    const { settingService, encryptService, secret, context } = await aRotatedModule();
    const before = await encryptService.encrypt('x');
    secret.rotate(anAesKey(2));
    const fresh = besides(context, { readSecret: secret.readSecret });

    const meanwhile = await fresh.encryptService.encrypt('y');
    const isTaken = await settingService.followSecret();

    expect(meanwhile.split(':')[2]).toBe(before.split(':')[2]);
    expect(isTaken).toBe(true);
    expect(await encryptService.decrypt(meanwhile)).toBe('y');
    expect(await encryptService.needsReencrypt(meanwhile)).toBe(true);
    expect(await settingService.followSecret()).toBe(false);
  });

  it('is followed by warm environments within the staleness', async () => {
    const { settingService, encryptService, secret, context } = await aRotatedModule();
    const other = besides(context, { readSecret: secret.readSecret });
    await other.context.refreshScope.atInvocationStart();
    await other.encryptService.encrypt('warm');
    secret.rotate(anAesKey(2));
    await settingService.followSecret();
    context.clock.advance(10_000);
    await other.context.refreshScope.atInvocationStart();

    const text = await other.encryptService.encrypt('x');

    expect(await encryptService.needsReencrypt(text)).toBe(false);
  });

  it('keeps the former key when the new version is none', async () => {
    const { settingService, encryptService, secret, context } = await aRotatedModule();
    secret.rotate('hex:12');

    const isTaken = await settingService.followSecret();

    expect(isTaken).toBe(false);
    expect(await encryptService.decrypt(await encryptService.encrypt('x'))).toBe('x');
    expect(context.log.lines).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  it('keeps the versions of a secret that another key replaces, and those of a deleted setting', async () => {
    const { settingService, encryptService, saveKey, secret } = await aRotatedModule();
    const first = await encryptService.encrypt('1');
    secret.rotate(anAesKey(2));
    await settingService.followSecret();
    const second = await encryptService.encrypt('2');
    await settingService.delete(NAME, admin);
    secret.rotate(anAesKey(3));
    await saveKey(anAesKey(4));

    expect(await encryptService.decrypt(first)).toBe('1');
    expect(await encryptService.decrypt(second)).toBe('2');
  });

  it('changes nothing when the same reference is saved again', async () => {
    const { settingService } = await aRotatedModule();

    const outcome = await settingService.save(
      { name: NAME, value: 'secretsmanager:svc-cloud/aes' },
      admin,
    );

    expect(outcome.kind).toBe('unchanged');
  });
});

describe('an environment that misses every refresh', () => {
  it('encrypts with no key that it has not seen to be the newest for 5 minutes', async () => {
    const { encryptService, saveKey, context } = aModule();
    await saveKey(anAesKey(1));
    const other = besides(context);
    await other.encryptService.encrypt('warm');
    await saveKey(anAesKey(2));
    context.clock.advance(5 * 60_000);

    const text = await other.encryptService.encrypt('x');

    expect(await encryptService.needsReencrypt(text)).toBe(false);
  });

  it('refuses to encrypt when it cannot look', async () => {
    const { saveKey, context } = aModule();
    await saveKey(anAesKey(1));
    const other = besides(context);
    await other.encryptService.encrypt('warm');
    context.clock.advance(5 * 60_000);
    context.db.failNext('network', { times: 1 });

    await expect(other.encryptService.encrypt('x')).rejects.toThrow();
  });
});

describe('a change that stores a cipher text again', () => {
  it('stores it under the newest key', async () => {
    const { settingService, encryptService, saveKey } = aModule();
    await saveKey(anAesKey(1));
    await settingService.save({ name: 'crm.code', value: 'one', encrypt: true }, admin);
    await settingService.save({ name: 'crm.code', value: 'two' }, admin);
    await saveKey(anAesKey(2));

    const back = await settingService.rollback('crm.code', 1, admin);
    const kept = await settingService.save(
      { name: 'crm.code', value: '******', desc: 'new' },
      admin,
    );

    expect(await encryptService.needsReencrypt(back.value)).toBe(false);
    expect(await encryptService.needsReencrypt(kept.setting.value)).toBe(false);
    expect(await settingService.getValue('crm.code')).toBe('one');
  });
});

describe('a setting saved with encrypt', () => {
  it('is stored as ciphertext and read as text', async () => {
    const { settingService, saveKey, context } = aModule();
    await saveKey(anAesKey());

    const { setting } = await settingService.save(
      { name: 'crm.code', value: 'plain text', encrypt: true },
      admin,
    );

    expect(setting.value).toMatch(/^enc:v1:/);
    expect(JSON.stringify(context.db.items())).not.toContain('plain text');
    expect(await settingService.getValue('crm.code')).toBe('plain text');
  });

  it('stays encrypted when it is saved without the flag', async () => {
    const { settingService, saveKey } = aModule();
    await saveKey(anAesKey());
    await settingService.save({ name: 'crm.code', value: 'one', encrypt: true }, admin);

    const { setting } = await settingService.save({ name: 'crm.code', value: 'two' }, admin);

    expect(setting).toMatchObject({ encrypted: true, value: expect.stringMatching(/^enc:v1:/) });
  });

  it('is unchanged when the same text is saved again', async () => {
    const { settingService, saveKey } = aModule();
    await saveKey(anAesKey());
    await settingService.save({ name: 'crm.code', value: 'one', encrypt: true }, admin);

    const { kind } = await settingService.save({ name: 'crm.code', value: 'one' }, admin);

    expect(kind).toBe('unchanged');
  });

  it('encrypts what was readable when the mask comes with the flag', async () => {
    const { settingService, saveKey } = aModule();
    await saveKey(anAesKey());
    await settingService.save({ name: 'smtp.password', value: 'hunter2' }, admin);

    const { setting } = await settingService.save(
      { name: 'smtp.password', value: '******', encrypt: true },
      admin,
    );

    expect(setting.value).toMatch(/^enc:v1:/);
    expect(await settingService.getValue('smtp.password')).toBe('hunter2');
  });

  it('becomes readable again with a new value', async () => {
    const { settingService, saveKey } = aModule();
    await saveKey(anAesKey());
    await settingService.save({ name: 'crm.code', value: 'one', encrypt: true }, admin);

    const { setting } = await settingService.save(
      { name: 'crm.code', value: 'two', encrypt: false },
      admin,
    );

    expect(setting).toMatchObject({ encrypted: false, value: 'two' });
  });

  it('is refused without a key, and nothing is stored', async () => {
    const { settingService, context } = aModule();

    const save = settingService.save({ name: 'crm.code', value: 'x', encrypt: true }, admin);

    await expect(save).rejects.toMatchObject({ code: 'ENCRYPT_KEY_MISSING' });
    expect(context.db.items()).toEqual([]);
  });
});

describe('the ring of former keys', () => {
  const refusal = { code: 'SETTING_PROTECTED', status: 409 };
  const aKey = (digit: number) => String(digit).repeat(1_024);

  /** A key, and a ring with as many former ones of the largest size. */
  async function withFormerKeys(count: number) {
    const module = aModule();
    await module.saveKey(aKey(1));
    const entry = { value: 'k'.repeat(1_024), replacedAt: '2026-01-01T00:00:00.000Z' };
    await module.context.unitOfWork(async (unit) =>
      unit.put({
        ...{ pk: `setting#${NAME}`, sk: 'keyring', type: 'setting' },
        entries: Array.from({ length: count }, () => ({ ...entry, deletionsListed: true })),
      }),
    );
    return module;
  }

  it('takes no text above 1024 bytes', async () => {
    const { saveKey } = aModule();

    await expect(saveKey('é'.repeat(513))).rejects.toMatchObject({
      status: 422,
      errors: [{ pointer: '/value', code: 'AES_SECRET_INVALID' }],
    });
    expect(await saveKey('é'.repeat(512))).toMatchObject({ kind: 'created' });
  });

  it('says when it is full, instead of growing beyond what an item holds', async () => {
    const { saveKey, settingService } = await withFormerKeys(349);

    const last = await saveKey(aKey(2));

    expect(last.kind).toBe('updated');
    await expect(saveKey(aKey(3))).rejects.toMatchObject(refusal);
    await expect(settingService.delete(NAME, admin)).rejects.toMatchObject(refusal);
  });
});
