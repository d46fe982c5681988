import * as z from 'zod';
import {
  type ConfigOf,
  type ConfigSection,
  commonSections,
  loadConfig,
  type PlatformConfig,
} from '../config/index.ts';
import { renameKeys, toCamelCase } from '../config/key-case.ts';
import { expandDottedKeys } from '../config/names.ts';
import { type MessagingTopology, readTopology } from '../messaging/wire/topology.ts';

const environmentSchema = z.object({
  SVC_MODULE: z.string().min(1),
  SVC_STAGE: z.string().min(1),
  SVC_VERSION: z.string().default('0.0.0'),
  SVC_CONFIG: z.string().default('{}'),
  SVC_MODULES_ON: z.string().default('[]'),
  SVC_MESSAGING: z.string().default('{}'),
  TABLE_NAME: z.string().min(1),
  BUCKET_NAME: z.string().min(1),
  EVENT_BUS_NAME: z.string().min(1),
});

/** The environment variables that the stack sets on a function. */
export interface Environment<C extends PlatformConfig = PlatformConfig> {
  readonly module: string;
  readonly stage: string;
  readonly version: string;
  /** Names of the modules that are switched on. */
  readonly modulesOn: readonly string[];
  readonly tableName: string;
  readonly bucketName: string;
  readonly eventBusName: string;
  /** Messaging topology, as far as the function needs it. */
  readonly messaging: MessagingTopology;
  /** The checked configuration: the common sections and those of the function's module. */
  readonly config: C;
  /** Values of other sections, already checked by the stack. */
  readonly otherSections: Readonly<Record<string, unknown>>;
}

/**
 * Reads and checks the environment of a function, once per cold start.
 * @param sections sections of the function's module.
 * @throws Error naming the variable, or ConfigError naming the property: the function does not start.
 */
export function readEnvironment<T extends ConfigSection = never>(
  variables: NodeJS.ProcessEnv,
  ...sections: readonly T[]
): Environment<PlatformConfig & ConfigOf<T>> {
  const parsed = environmentSchema.safeParse(variables);
  if (!parsed.success) {
    const names = parsed.error.issues.map(({ path }) => path.join('.'));
    throw new Error(
      `The function cannot start: environment variables missing or empty: ${names.join(', ')}`,
    );
  }
  const { SVC_MODULE, SVC_STAGE, SVC_VERSION, SVC_CONFIG, SVC_MODULES_ON, ...names } = parsed.data;
  const known = [...commonSections, ...sections];
  const { own, others } = splitSections(JSON.parse(SVC_CONFIG), known);
  return {
    messaging: readTopology(names.SVC_MESSAGING),
    module: SVC_MODULE,
    stage: SVC_STAGE,
    version: SVC_VERSION,
    modulesOn: JSON.parse(SVC_MODULES_ON) as string[],
    tableName: names.TABLE_NAME,
    bucketName: names.BUCKET_NAME,
    eventBusName: names.EVENT_BUS_NAME,
    config: loadConfig<(typeof commonSections)[number] | T>(own, {
      sections: known,
      stage: SVC_STAGE,
    }),
    otherSections: others,
  };
}

function splitSections(raw: Record<string, unknown>, known: readonly ConfigSection[]) {
  const names = new Set(known.map(({ name }) => name));
  const entries = Object.entries(expandDottedKeys(raw));
  return {
    own: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    others: renameKeys(
      Object.fromEntries(entries.filter(([name]) => !names.has(name))),
      toCamelCase,
    ) as Readonly<Record<string, unknown>>,
  };
}
