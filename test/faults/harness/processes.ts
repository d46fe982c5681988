import { type ChildProcess, spawn } from 'node:child_process';
import { claimEnvironment } from '../../../bin/dev/local-cloud/lives-with.ts';
import { compiledOnce } from '../../helpers/world/run-folder.ts';
import type { ServiceFaults } from './broken-services.ts';
import type { EntitiesRole } from './entities-roles.ts';
import type { FaultCloud } from './fault-cloud.ts';
import type { WorkflowRole } from './workflow-roles.ts';

/** What one process does and where it may be killed. */
export interface ProcessPlan {
  readonly role: 'publisher' | 'relay' | 'consumer' | 'drain' | EntitiesRole | WorkflowRole;
  readonly seed: number;
  /** Chance to be killed at each of the points. */
  readonly killChance?: number;
  readonly killPoints?: readonly string[];
  /** After that many kills it is killed no more. */
  readonly maxKills?: number;
  /** What goes wrong with the services that it calls. */
  readonly services?: ServiceFaults;
  /** `svc` configuration. */
  readonly svc?: Readonly<Record<string, unknown>>;
  /** What the role is to do. */
  readonly work?: Readonly<Record<string, unknown>>;
  readonly topology?: Readonly<Record<string, unknown>>;
}

/** A process that is started again whenever it was killed, until it ends by itself or is stopped. */
export interface Worker {
  /** How often it was killed by a fault. */
  readonly kills: number;
  /** Resolves when it has ended by itself. */
  readonly done: Promise<void>;
  /** From now on it is not killed any more, and its services work. */
  calmDown(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a worker of a fault run. */
export function startWorker(cloud: FaultCloud, plan: ProcessPlan): Worker {
  const { maxKills = Number.POSITIVE_INFINITY } = plan;
  let kills = 0;
  let starts = 0;
  let chance = plan.killChance ?? 0;
  let services = plan.services ?? {};
  let isStopping = false;
  let child: ChildProcess | undefined;
  const done = Promise.withResolvers<void>();

  const start = (): void => {
    starts += 1;
    const own = spawn(process.execPath, [cloud.bundle], {
      env: {
        ...processEnvironment(cloud, plan),
        FAULT_SEED: String(plan.seed + starts * 1_000),
        FAULT_CHANCE: String(kills < maxKills ? chance : 0),
        FAULT_SERVICES: JSON.stringify(services),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child = own;
    own.once('exit', (code, signal) => {
      if (code === 0) done.resolve();
      else if (isStopping) return;
      else if (signal === 'SIGKILL') {
        kills += 1;
        start();
      } else done.reject(new Error(`The ${plan.role} ended with code ${code}, signal ${signal}`));
    });
  };
  start();
  done.promise.catch(() => undefined);

  const end = async (): Promise<void> => {
    const last = child;
    if (!last || last.exitCode !== null || last.signalCode !== null) return;
    const ended = new Promise((resolve) => last.once('exit', resolve));
    last.kill('SIGKILL');
    await ended;
  };
  return {
    get kills() {
      return kills;
    },
    done: done.promise,
    async calmDown() {
      chance = 0;
      services = {};
      isStopping = true;
      await end();
      isStopping = false;
      start();
    },
    async stop() {
      isStopping = true;
      await end();
    },
  };
}

function moduleOf(role: ProcessPlan['role']): string {
  if (role.startsWith('entities-')) return 'entities';
  if (role.startsWith('workflow-')) return 'workflow';
  return role === 'relay' || role === 'drain' ? 'messaging-relay' : 'messaging';
}

function processEnvironment(cloud: FaultCloud, plan: ProcessPlan): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    ...cloud.environment,
    ...claimEnvironment(),
    ...compiledOnce(),
    SVC_MODULE: moduleOf(plan.role),
    SVC_CONFIG: JSON.stringify({
      mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } },
      ...plan.svc,
    }),
    SVC_MESSAGING: JSON.stringify(plan.topology ?? {}),
    FAULT_ROLE: plan.role,
    FAULT_POINTS: JSON.stringify(plan.killPoints ?? []),
    FAULT_WORK: JSON.stringify(plan.work ?? {}),
  };
}
