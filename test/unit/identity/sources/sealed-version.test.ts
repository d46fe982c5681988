import { describe, expect, it } from 'vitest';
import type { IdentityProvider } from '../../../../functions/identity/domain/providers/provider.ts';
import { ProviderRepository } from '../../../../functions/identity/store/providers/provider-repository.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

describe('a provider whose configuration gets a newer key', () => {
  it('is read again by whoever writes it at that time: no former key comes back', async () => {
    const { unitOfWork, table } = aContext({ module: 'identity' });
    const repository = new ProviderRepository({ table });
    const error = () => new Error('taken');
    const provider = {
      ...{ id: 'p1', code: 'p', name: 'P', tenant: '', config: 'old', version: 1 },
    } as unknown as IdentityProvider;
    await unitOfWork(async (unit) =>
      repository.stageNew(unit, provider, { code: error, name: error }),
    );
    const seal = async () => {
      const found = await repository.find('p1');
      if (found) await unitOfWork(async (unit) => repository.stageSealed(unit, found, 'new'));
    };
    const before = await repository.find('p1');
    if (!before) throw new Error('The provider is gone');
    await seal();

    let attempts = 0;
    await unitOfWork(async (unit) => {
      attempts += 1;
      const read = attempts === 1 ? before : ((await repository.find('p1')) ?? before);
      repository.stage(unit, { ...read, displayed: false, version: 2 }, read, error);
    });

    expect(attempts).toBe(2);
    expect(await repository.find('p1')).toMatchObject({ config: 'new', displayed: false });
  });
});
