import { describe, expect, it } from 'vitest';
import { runPage } from '../../../../functions/identity/api/sync/run-page.ts';
import { oneRunRoutes } from '../../../../functions/identity/api/sync/run-routes.ts';
import { RunReader } from '../../../../functions/identity/sources/run-reader.ts';
import { EventRepository } from '../../../../functions/identity/store/events/event-repository.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { Stopped } from '../../../helpers/identity/machine.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';
import { connect } from '../../../helpers/world/a-context.ts';
import { openInBrowser } from '../../shared/pages/a-browser.ts';

const RUN = '/api/v1/identity_source/sync/run';

const ID = '019f5a3c-7c11-7d9e-8a33-0c5f9a1b2c3d';
const source = aSource({ id: ID });

function connected(world: SyncWorld) {
  const { context, history, sync } = world;
  const sources = { get: async () => source };
  const eventRepository = new EventRepository(context);
  const runs = new RunReader({ history, eventRepository, sources, sync });
  const api = connect(() => ({ routes: oneRunRoutes({ runs }) }), context);
  return (path: string) => api.call({ method: 'GET', path: `${RUN}/${path}` });
}

describe('GET /api/v1/identity_source/sync/run/{batch}', () => {
  it('tells how far a run is, what it is going to do, and what it did', async () => {
    const world = await syncWorld(source);
    world.fill(3);
    const get = connected(world);
    const { batch } = await world.sync.execute(source, {}, systemPrincipal);
    const seen: unknown[] = [(await get(batch)).body.phase];
    world.machine.beforeState = async (name) => {
      if (name === 'Apply users') seen.push((await get(batch)).body);
    };

    await world.machine.work();

    expect(seen).toMatchObject([
      'READING',
      { phase: 'APPLYING', status: 'PENDING', planned: { users: { created: 3, missing: 0 } } },
    ]);
    expect((await get(batch)).body).toMatchObject({
      ...{ batch, phase: 'ENDED', status: 'SUCCESS', planned: null },
      histories: [{ objectType: 'ORGANIZATION' }, { objectType: 'USER', createdCount: 3 }],
    });
    expect((await get(ID)).body.code).toBe('SYNC_RUN_NOT_FOUND');
  });

  it('shows a plan that waits, and a run that has died', async () => {
    const world = await syncWorld(source);
    world.fill(3);
    const get = connected(world);
    const { user } = await world.byHand({ dryRun: true });
    const { batch } = await world.sync.execute(source, {}, systemPrincipal);
    world.machine.beforeState = (name) => {
      if (name === 'Begin') throw new Stopped();
    };
    await world.machine.work();

    expect((await get(user.batch)).body).toMatchObject({ phase: 'WAITING', status: 'PREVIEW' });
    expect((await get(batch)).body).toMatchObject({
      ...{ phase: 'ENDED', status: 'FAIL', reasonCode: 'INTERRUPTED' },
    });
  });
});

describe('the page of a run', () => {
  const link = 'http://host/api/v1/identity_source/sync/run/b1/view#token=abc';
  const zero = { created: 0, updated: 0, disabled: 0, refused: 0, missing: 0, unchanged: 0 };
  const history = (objectType: string) => ({
    ...{ id: `h-${objectType}`, objectType, createdCount: 2, unchangedCount: 5 },
  });
  const histories = [history('ORGANIZATION'), history('USER')];
  const run = { batch: 'b1', status: 'PENDING', reasonCode: null, desc: null, histories };
  const planned = { users: { ...zero, created: 7 }, organization: { ...zero, removed: 1 } };
  const records = {
    content: [
      {
        ...{ actionType: 'UPDATE', objectType: 'USER', objectName: '<b>mai</b>', status: 'FAIL' },
        reasonCode: 'EMAIL_CONFLICT',
        changes: [{ field: 'email', from: null, to: 'a@b.vn' }],
      },
    ],
  };

  const ofPlan = {
    content: [
      {
        ...{ actionType: 'DELETE', objectType: 'USER', objectName: 'lan', status: 'SKIP' },
        ...{ reasonCode: 'PLANNED', changes: [] },
      },
    ],
  };

  it('follows a run until it has ended, with its plan and its changes', async () => {
    const browser = openInBrowser(
      String(runPage().body),
      link,
      { body: { ...run, phase: 'APPLYING', planned } },
      ...[{ body: { content: [] } }, { body: ofPlan }],
      { body: { ...run, status: 'SUCCESS', phase: 'ENDED', planned: null } },
      ...[{ body: { content: [] } }, { body: records }],
    );
    await browser.settle();
    const before = browser.text();
    await browser.pass();
    await browser.settle();

    expect(before).toContain('PENDINGThe plan is being applied.Planned changesDepartmentsUsers');
    expect(before).toContain('Create07');
    // A record of a plan says that it was skipped: to a person it is planned.
    expect(before).toContain('DELETE USERlanplanned');
    expect(before).not.toContain('SKIP');
    expect(browser.text()).toContain('SUCCESSThe run has ended.What was done');
    expect(browser.text()).toContain('FAIL: EMAIL_CONFLICTemail: null → "a@b.vn"');
    expect(browser.window.document.querySelector('td b')).toBeNull();
    expect(browser.timers).toEqual([]);
    expect(browser.calls[1]).toMatchObject({
      address:
        'http://host/api/v1/identity_source/sync/record_list?syncHistoryId=h-ORGANIZATION&size=50',
      authorization: 'Bearer abc',
    });
  });

  it('says why it shows nothing', async () => {
    const refused = openInBrowser(String(runPage().body), link, { status: 403 });
    await refused.settle();
    const bare = openInBrowser(String(runPage().body), 'http://host/x/view');

    expect(refused.text()).toContain('does not allow to see this run');
    expect(bare.text()).toContain('needs a link that ends with #token=');
  });
});
