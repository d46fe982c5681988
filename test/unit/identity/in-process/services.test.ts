import { expect, it } from 'vitest';
import { identitySourceServices } from '../../../../functions/identity/index.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { anIdentityApi, ofTenant } from '../../../helpers/identity/identity-api.ts';

it('enables, disables and synchronises sources in process, for the tenant of its caller', async () => {
  const api = anIdentityApi();
  const id = await api.aSource();
  const foreign = await api.aSource({}, ofTenant('north'));
  const services = identitySourceServices({ ...api.services, sync: api.sync }, systemPrincipal);

  await services.enableIdentitySource(id);
  const started = await services.executeIdentitySourceSync(id, { dryRun: true });
  await services.disableIdentitySource(id);

  expect(started.batch).toBe('batch-1');
  expect(api.sync.calls).toEqual([
    ['register', id],
    ['execute', [id, { dryRun: true }]],
    ['deregister', id],
  ]);
  await expect(services.enableIdentitySource(foreign)).rejects.toMatchObject({ status: 404 });
  await expect(
    services.getIdentitySourceSyncRecordList({ syncHistoryId: 'h9' }, { size: 10 }),
  ).rejects.toMatchObject({ code: 'SYNC_RUN_NOT_FOUND' });
});
