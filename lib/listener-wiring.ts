import { Annotations, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { goesOverBus, OWN_FUNCTION } from '../shared/messaging/wire/topology.ts';
import type { ModuleDeclaration } from '../shared/module/declaration.ts';
import { topicWays } from './function-environment.ts';
import type { ModuleFunction } from './functions/module-function.ts';
import type { SvcConfig } from './modules.ts';
import type { Messaging } from './resources/messaging.ts';
import type { FunctionListeners } from './resources/messaging-plan.ts';

/** The listeners of a stack and the functions that they run in. */
export interface ListenerWiring {
  readonly config: SvcConfig;
  /** The modules that are switched on. */
  readonly modules: readonly ModuleDeclaration[];
  readonly listeners: readonly FunctionListeners[];
  readonly functions: ReadonlyMap<string, ModuleFunction>;
  readonly messaging: Messaging;
}

/** Topics that use the bus with every transport. */
export const distributedTopicsOf = (modules: readonly ModuleDeclaration[]): readonly string[] =>
  modules.flatMap(({ distributedTopics = [] }) => distributedTopics);

/** Warns of listeners that, with the in-process transport, receive messages of their own function only. */
export function warnOfSilentListeners(
  scope: Construct,
  { modules, config: { mq } }: Pick<ListenerWiring, 'modules' | 'config'>,
): void {
  if (!mq.enabled || goesOverBus(mq)) return;
  const distributed = distributedTopicsOf(modules);
  for (const { name, listeners = [] } of modules) {
    for (const { topic, group } of listeners) {
      if (distributed.includes(topic)) continue;
      Annotations.of(scope).addWarningV2(
        'svc-cloud:MQ_LISTENER_IN_PROCESS',
        `With svc.mq.transport=spring the group ${group} hears ${topic} only from the function ${name}`,
      );
    }
  }
}

/**
 * Tells the function that answers `POST /broker/dispatch`, that of the host's listeners, in which function each listener
 * runs, and lets it invoke them.
 */
export function wireDispatch({
  config,
  modules,
  listeners: all,
  functions,
  messaging,
}: ListenerWiring): void {
  const dispatcher = modules.find(({ runsHostListeners }) => runsHostListeners);
  const target = functions.get(dispatcher?.name ?? '');
  if (!target || !config.mq.brokerRestfulEnabled) return;
  const listeners: Record<string, Record<string, string>> = {};
  const callable = new Set<ModuleFunction>();
  for (const { owner, listeners: own } of all) {
    const holder = functions.get(owner);
    if (!holder) continue;
    for (const { topic, group } of own) {
      const name = holder === target ? OWN_FUNCTION : holder.function.functionName;
      listeners[topic] = { ...listeners[topic], [group]: name };
      if (holder !== target) callable.add(holder);
    }
  }
  const { orderedTopics } = messaging.plan;
  const topology = { orderedTopics, ...topicWays(modules, config), listeners };
  target.function.addEnvironment('SVC_MESSAGING', Stack.of(target).toJsonString(topology));
  for (const holder of callable) target.mayCall(holder);
}
