import { afterEach, describe, expect, it } from 'vitest';
import { DeploymentCompensation } from '../../../../functions/workflow/definitions/deployment-compensation.ts';
import { EventSender } from '../../../../functions/workflow/definitions/event-sender.ts';
import { CaseUse } from '../../../../functions/workflow/store/case-use.ts';
import { ContentStore } from '../../../../functions/workflow/store/content-store.ts';
import { DefinitionRepository } from '../../../../functions/workflow/store/definition-repository.ts';
import { PendingDeployments } from '../../../../functions/workflow/store/pending-deployments.ts';
import { createFiles } from '../../../../shared/files/create-files.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { type WorkflowWorld, workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const globals = globalThis as { SVC_FAULTS?: boolean; svcFault?: (point: string) => void };

afterEach(() => {
  delete globals.SVC_FAULTS;
  delete globals.svcFault;
});

const deploy = (world: WorkflowWorld, task = 'Review') =>
  world.post('/deployments', { workflowCode: 'loan', xml: caseXml({ task }) });

const broker = (retryMs = 60_000) => ({
  mq: { transport: 'broker' },
  workflow: { 'deployment-compensation-retry-ms': retryMs },
});

/** A storage whose deletions fail for as long as a test wants. */
function stubbornStorage() {
  const storage = memoryStorage();
  const stubborn = {
    ...storage,
    isStuck: false,
    deletions: 0,
    delete: async (path: string): Promise<void> => {
      stubborn.deletions += 1;
      if (stubborn.isStuck) throw new Error('The bucket cannot be reached');
      await storage.delete(path);
    },
  };
  return stubborn;
}

/** The process ends at a point: nothing runs after it, not even what would tidy up. */
async function killAt(
  world: WorkflowWorld,
  storage: { isStuck: boolean },
  point: string,
  passes = 0,
) {
  let left = passes;
  globals.SVC_FAULTS = true;
  globals.svcFault = (reached) => {
    if (reached !== point) return;
    left -= 1;
    if (left >= 0) return;
    storage.isStuck = true;
    world.context.db.failNext('network', { times: 100 });
    throw new Error('killed');
  };
  const answer = await deploy(world);
  delete globals.svcFault;
  world.context.db.stopFailing();
  storage.isStuck = false;
  return answer;
}

const leftOver = (world: WorkflowWorld) => ({
  files: world.storage.files.size,
  items: world.context.db
    .items()
    .map(({ pk }) => String(pk))
    .filter((pk) => pk.startsWith('WF#')),
});

describe('a deployment that is interrupted', () => {
  it.each([
    ['after it was announced', 'deployment-announced', 0, 0],
    ['after its files were written', 'deployment-written', 0, 1],
    // The announcement commits too: the second commit is that of the deployment.
    ['before its transaction', 'before-commit', 1, 1],
  ])('%s leaves nothing behind once the sweep has run', async (_, point, passes, files) => {
    const storage = stubbornStorage();
    const world = workflowWorld(broker(), storage);
    const answer = await killAt(world, storage, point, passes);
    const before = leftOver(world);

    const early = await world.runTask('workflow.sweep');
    world.context.clock.advance(31_000);
    const late = await world.runTask('workflow.sweep');

    expect(answer.status).toBe(500);
    expect(before).toEqual({ files, items: ['WF#@intents'] });
    expect(early).toMatchObject({ deployments: { undone: 0 } });
    expect(late).toMatchObject({ deployments: { undone: 1 } });
    expect(leftOver(world)).toEqual({ files: 0, items: [] });
  });

  it('after its transaction is there whole', async () => {
    const storage = stubbornStorage();
    const world = workflowWorld(broker(), storage);
    let commits = 0;
    globals.SVC_FAULTS = true;
    globals.svcFault = (reached) => {
      if (reached === 'after-commit') commits += 1;
      if (commits === 2) throw new Error('killed');
    };

    const answer = await deploy(world);
    delete globals.svcFault;
    world.context.clock.advance(31_000);
    await world.runTask('workflow.sweep');

    expect(answer.status).toBe(500);
    expect((await world.get('/definitions/loan')).body).toMatchObject({ version: 1 });
    expect((await world.get('/definitions/loan/versions/1/xml')).text).toBe(caseXml());
  });

  it('lies in the table as an intent before its first object is written', async () => {
    const storage = memoryStorage();
    const before: unknown[] = [];
    const world = workflowWorld(broker(), {
      ...storage,
      put: async (...written: Parameters<typeof storage.put>) => {
        before.push(world.context.db.items().filter(({ pk }) => pk === 'WF#@intents'));
        return storage.put(...written);
      },
    });

    const { body } = await deploy(world);

    expect(before).toMatchObject([
      [{ state: 'DEPLOYING', intent: { deploymentId: body.deploymentId } }],
    ]);
    expect(leftOver(world).items).not.toContain('WF#@intents');
  });

  it('tidies up at once while its process lives', async () => {
    const world = workflowWorld(broker());
    world.context.db.failNext('internal', { operation: 'TransactWriteItems' });

    const answer = await deploy(world);

    expect(answer.status).toBe(503);
    expect(leftOver(world)).toEqual({ files: 0, items: [] });
  });

  it('keeps its files when only the answer of its transaction was lost', async () => {
    const world = workflowWorld(broker());
    world.context.db.failNext('answer-lost', { operation: 'TransactWriteItems', times: 10 });

    await deploy(world);
    world.context.db.stopFailing();

    expect((await world.get('/definitions/loan/versions/1/xml')).text).toBe(caseXml());
  });

  it('whose files are removed meanwhile is made again', async () => {
    const world = workflowWorld(broker());
    let isFirst = true;
    const off = world.context.db.before('TransactWriteItems', async () => {
      if (!isFirst) return;
      isFirst = false;
      const [intent] = await new PendingDeployments(world.context).intents();
      if (intent) await world.services().compensation.undo(intent);
    });

    const answer = await deploy(world);
    off();

    expect(answer).toMatchObject({ status: 201, body: { version: 1 } });
    expect(leftOver(world).files).toBe(1);
    expect((await world.get('/definitions/loan/versions/1/xml')).text).toBe(caseXml());
  });
});

describe('the deployment compensation', () => {
  it('tells of what it has removed', async () => {
    const storage = stubbornStorage();
    const world = workflowWorld(broker(), storage);
    await killAt(world, storage, 'deployment-written');
    world.context.clock.advance(31_000);

    await world.runTask('workflow.sweep');

    expect(world.topics()).toEqual(['workflow.deployment.failed']);
    expect(world.context.bus.events[0]?.envelope.data).toMatchObject({
      workflowCode: 'loan',
      tenantCode: '',
      attempts: 1,
    });
  });

  it('waits between its retries, and goes on', async () => {
    const storage = stubbornStorage();
    const world = workflowWorld(broker(300_000), storage);
    await killAt(world, storage, 'deployment-written');
    world.context.clock.advance(31_000);
    storage.isStuck = true;

    const failed = await world.runTask('workflow.sweep');
    world.context.clock.advance(240_000);
    const waiting = await world.runTask('workflow.sweep');
    storage.isStuck = false;
    world.context.clock.advance(60_000);
    const undone = await world.runTask('workflow.sweep');

    expect([failed, waiting, undone]).toMatchObject([
      { deployments: { undone: 0, failed: 1 } },
      { deployments: { undone: 0, failed: 0 } },
      { deployments: { undone: 1, failed: 0 } },
    ]);
    expect(world.context.bus.events[0]?.envelope.data).toMatchObject({ attempts: 2 });
  });

  it('is tried again within a run when the property says less than a minute', async () => {
    const storage = stubbornStorage();
    const world = workflowWorld(broker(1_000), storage);
    await killAt(world, storage, 'deployment-written');
    world.context.clock.advance(31_000);
    storage.isStuck = true;
    storage.deletions = 0;
    const { delete: refuse } = storage;
    storage.delete = async (path) => {
      storage.isStuck = storage.deletions === 0;
      await refuse(path);
    };

    const swept = await world.runTask('workflow.sweep');

    expect(swept).toMatchObject({ deployments: { undone: 1, failed: 1 } });
    expect(leftOver(world)).toEqual({ files: 0, items: [] });
  });

  it('retries several times in a minute when the pause is shorter', async () => {
    const storage = stubbornStorage();
    const world = workflowWorld(broker(5_000), storage);
    const { context } = world;
    await killAt(world, storage, 'deployment-written');
    context.clock.advance(31_000);
    storage.isStuck = true;
    storage.deletions = 0;
    const { files } = createFiles(
      { ...context, host: { storage } },
      { path: '/files', keyPrefix: 'WF#@links', baseUrl: () => '' },
    );
    const pauses: number[] = [];
    const compensation = new DeploymentCompensation({
      ...context,
      machine: context.machineClock,
      pending: new PendingDeployments(context),
      repository: new DefinitionRepository(context),
      contents: new ContentStore({ table: context.table, files }),
      caseUse: new CaseUse(context),
      sender: new EventSender(context),
      retryMs: 5_000,
      pause: async (ms) => {
        pauses.push(ms);
        context.clock.advance(ms);
        if (pauses.length === 4) storage.isStuck = false;
      },
    });

    const counts = await compensation.sweep();

    expect(counts).toEqual({ undone: 1, failed: 4, purged: 0 });
    expect(pauses).toEqual([5_000, 5_000, 5_000, 5_000]);
    expect(storage.deletions).toBe(5);
  });
});
