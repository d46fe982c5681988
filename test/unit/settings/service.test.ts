import { describe, expect, it } from 'vitest';
import { createSettingsModule } from '../../../functions/settings/index.ts';
import { principalOf } from '../../helpers/api/principals.ts';
import { aContext, type ContextOptions } from '../../helpers/world/a-context.ts';
import { aSettingsApi } from './settings-api.ts';

const admin = principalOf({ sub: 'demo', roles: ['admin'] });

function aModule(options: ContextOptions = {}) {
  const context = aContext(options);
  const { settingService, refreshService } = createSettingsModule(context).services;
  return { context, settingService, refreshService };
}

describe('createSettingsModule', () => {
  it('works in process, without HTTP', async () => {
    const { settingService } = aModule();

    const { setting, kind } = await settingService.save({ name: 'a', value: 'x' }, admin);

    expect([kind, setting.version, await settingService.getValue('a')]).toEqual([
      'created',
      1,
      'x',
    ]);
  });

  it('takes part in a unit of work of the caller', async () => {
    const { settingService, context } = aModule();

    const work = context.unitOfWork(async (unit) => {
      await settingService.save({ name: 'a', value: 'x' }, admin);
      unit.check(
        { pk: 'order', sk: '1' },
        {
          condition: { expression: 'attribute_exists(pk)' },
          otherwise: () => new Error('no order'),
        },
      );
    });

    await expect(work).rejects.toThrow('no order');
    expect(context.db.items()).toEqual([]);
    expect(context.bus.events).toEqual([]);
  });
});

describe('several changes in one unit', () => {
  const epochsIn = ({ db }: ReturnType<typeof aContext>) =>
    db.items().flatMap(({ sk, key }) => (String(sk).startsWith('e#') ? [`${sk} ${key}`] : []));

  it('of two refreshes are two steps of the epoch and two notices', async () => {
    const { refreshService, context } = aModule();
    await refreshService.refresh('before');

    const epochs = await context.unitOfWork(async () => [
      await refreshService.refresh('a'),
      await refreshService.refresh('b'),
    ]);

    expect(epochs.map(({ epoch }) => epoch)).toEqual([2, 3]);
    expect(context.db.items().find(({ sk }) => sk === 'epoch')).toMatchObject({ epoch: 3 });
    expect(epochsIn(context)).toEqual([
      ...['e#000000000001 before', 'e#000000000002 a', 'e#000000000003 b'],
    ]);
    expect(context.bus.events.map(({ envelope }) => envelope.data)).toEqual([
      ...[{ key: 'before', epoch: 1 }],
      ...[{ key: 'a', epoch: 2 }],
      ...[{ key: 'b', epoch: 3 }],
    ]);
  });

  it('refresh a key once, whoever asks, at once or one after the other', async () => {
    const { refreshService, context } = aModule();

    const epochs = await context.unitOfWork(() =>
      Promise.all(['a', 'b', 'a'].map((key) => refreshService.refresh(key))),
    );

    expect(epochs.map(({ epoch }) => epoch)).toEqual([1, 2, 1]);
    expect(context.bus.events).toHaveLength(2);
  });

  it('save different settings', async () => {
    const { settingService, context } = aModule();

    await context.unitOfWork(async () => {
      await settingService.save({ name: 'a', value: '1' }, admin);
      await settingService.save({ name: 'b', value: '2' }, admin);
    });

    expect(await settingService.getValue('a')).toBe('1');
    expect(await settingService.getValue('b')).toBe('2');
  });

  it('of one setting build on each other, and keep every version', async () => {
    const { settingService, context } = aModule();
    await settingService.save({ name: 'a', value: 'one' }, admin);
    context.db.failNext('conflict', { operation: 'TransactWriteItems' });

    const kinds = await context.unitOfWork(async () => {
      const two = await settingService.save({ name: 'a', value: 'two' }, admin, { ifMatch: '1' });
      const same = await settingService.save({ name: 'a', value: 'two' }, admin);
      await settingService.delete('a', admin, { ifMatch: '2' });
      const three = await settingService.save({ name: 'a', value: 'three' }, admin);
      const back = await settingService.rollback('a', 2, admin);
      return [two.kind, same.kind, three.kind, back.version];
    });

    const history = await settingService.history('a', { size: 20 });
    expect(kinds).toEqual(['updated', 'unchanged', 'created', 5]);
    expect(history.content.map(({ version, change }) => `${version} ${change}`)).toEqual([
      ...['5 ROLLED_BACK', '4 CREATED', '3 DELETED', '2 UPDATED', '1 CREATED'],
    ]);
    expect(await settingService.getSetting('a')).toMatchObject({ version: 5, value: 'two' });
  });

  it('may create and delete a setting, which leaves its history', async () => {
    const { settingService, context } = aModule();

    await context.unitOfWork(async () => {
      await settingService.save({ name: 'a', value: 'one' }, admin);
      await settingService.delete('a', admin);
    });

    await expect(settingService.getSetting('a')).rejects.toMatchObject({
      code: 'SETTING_NOT_FOUND',
    });
    expect((await settingService.history('a', { size: 20 })).content).toHaveLength(2);
  });

  it('keep each AES key that was replaced', async () => {
    const { settingService, context } = aModule();
    const name = 'security.aes_secret';
    const key = (digit: number) => `hex:${String(digit).repeat(64)}`;
    await settingService.save({ name, value: key(1) }, admin);

    await context.unitOfWork(async () => {
      await settingService.save({ name, value: key(2) }, admin);
      await settingService.save({ name, value: key(3) }, admin);
    });

    expect(context.db.items().find(({ sk }) => sk === 'keyring')).toMatchObject({
      entries: [{ value: key(1) }, { value: key(2) }],
    });
  });

  it('at the same time, of one setting, are refused instead of lost', async () => {
    const { settingService, context } = aModule();

    const unit = context.unitOfWork(() =>
      Promise.all(['one', 'two'].map((value) => settingService.save({ name: 'a', value }, admin))),
    );

    await expect(unit).rejects.toMatchObject({ code: 'CONCURRENT_UPDATE' });
    expect(context.db.items()).toEqual([]);
  });
});

describe('getValue', () => {
  it('reads a setting once, until it is refreshed', async () => {
    const { settingService, context } = aModule();
    await settingService.save({ name: 'a', value: 'one' }, admin);

    const cost = await context.db.meter.costOf(async () => {
      await Promise.all([1, 2, 3].map(() => settingService.getValue('a')));
      await settingService.getValue('a');
    });
    await settingService.save({ name: 'a', value: 'two' }, admin);

    expect(cost.requests).toEqual(['GetItem']);
    expect(await settingService.getValue('a')).toBe('two');
  });

  it('knows none for a missing setting, and asks once for it', async () => {
    const { settingService, context } = aModule();

    const values = [await settingService.getValue('none'), await settingService.getValue('none')];

    expect(values).toEqual([undefined, undefined]);
    expect(context.db.meter.requests).toHaveLength(1);
  });

  it('keeps at most a thousand names', async () => {
    const { settingService, context } = aModule();
    for (let i = 0; i < 1_000; i += 1) await settingService.getValue(`name.${i}`);
    context.db.meter.reset();

    await settingService.getValue('one.more');
    await settingService.getValue('one.more');
    await settingService.getValue('name.0');

    expect(context.db.meter.requests).toHaveLength(2);
  });

  it('reads again after a refresh of everything', async () => {
    const { settingService, refreshService, context } = aModule();
    await settingService.save({ name: 'a', value: 'one' }, admin);
    await settingService.getValue('a');
    context.db.meter.reset();

    await refreshService.refresh('__REFRESH_ALL__');
    await settingService.getValue('a');

    expect(context.db.meter.total().requests.filter((one) => one === 'GetItem')).toHaveLength(2);
  });
});

describe('validators of the host', () => {
  const isNumber = (value: string) => (/^\d+$/.test(value) ? undefined : 'must be a number');

  it.each([
    ['limit.orders', 'limit.orders', true],
    ['limit.', 'limit.orders', true],
    ['limit.*', 'limit.orders', true],
    ['limit*', 'limits', true],
    ['limit.orders', 'limit.orders.max', false],
    ['limit', 'limit.orders', false],
    ['*', 'anything', true],
  ])('for %s check %s: %s', async (name, setting, isChecked) => {
    const { settingService, context } = aModule({
      host: { settingValidators: [{ name, validate: isNumber }] },
    });

    const outcome = await settingService.save({ name: setting, value: 'many' }, admin).then(
      () => 'saved',
      (error: { code: string }) => error.code,
    );

    expect(outcome).toBe(isChecked ? 'SETTING_INVALID' : 'saved');
    expect(context.db.items()).toHaveLength(isChecked ? 0 : 5);
  });

  it('are all asked, and all their answers are given', async () => {
    const { settingService } = aModule({
      host: {
        settingValidators: [
          { name: 'a', validate: isNumber },
          { name: 'a', validate: () => 'must be shorter' },
          { name: 'a', validate: () => undefined },
        ],
      },
    });

    await expect(settingService.save({ name: 'a', value: 'x' }, admin)).rejects.toMatchObject({
      status: 422,
      errors: [{ detail: 'must be a number' }, { detail: 'must be shorter' }],
    });
  });

  it('are not asked when the mask keeps the value', async () => {
    let asked = 0;
    const validate = () => {
      asked += 1;
      return undefined;
    };
    const { settingService } = aModule({
      host: { settingValidators: [{ name: 'a.token', validate }] },
    });
    await settingService.save({ name: 'a.token', value: 'x' }, admin);

    await settingService.save({ name: 'a.token', value: '******', desc: 'new' }, admin);

    expect(asked).toBe(1);
  });
});

describe('a host with an encrypt service of its own', () => {
  const encryptService = {
    encrypt: async (text: string) => Buffer.from(text).toString('base64'),
    decrypt: async (text: string) => Buffer.from(text, 'base64').toString(),
    needsReencrypt: async () => false,
  };

  it('is asked to encrypt and to decrypt, whatever form its texts have', async () => {
    const { settingService } = aModule({ host: { encryptService } });

    const { setting } = await settingService.save(
      { name: 'a', value: 'text', encrypt: true },
      admin,
    );

    expect(setting.value).toBe('dGV4dA==');
    expect(await settingService.getValue('a')).toBe('text');
  });

  it('has its texts masked like ours', async () => {
    const { permissionEvaluator } = aContext().host;
    const host = { encryptService, ...(permissionEvaluator && { permissionEvaluator }) };
    const { save, get } = aSettingsApi({ host });
    const name = 'crm.code';

    const answers = [
      await save({ name, value: 'text', encrypt: true }),
      await get(`/${name}`),
      await get(`/${name}/history`),
      await get(''),
    ];

    expect(answers.map(({ text }) => text).join()).not.toMatch(/dGV4dA|"text"/);
    expect((await get(`/${name}?reveal=true`)).body).toMatchObject({ value: 'text' });
  });
});
