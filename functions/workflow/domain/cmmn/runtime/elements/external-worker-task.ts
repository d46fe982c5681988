import { countValue } from '../run/agenda.ts';
import { isAtWork } from '../run/live-case.ts';
import { type Behavior, emit, factsOf, plan } from '../run/run.ts';
import { inValues } from '../variables/parameters.ts';

/** Offers work to the workers of its topic and waits for the result (extension of Flowable). */
export const externalWorkerTask: Behavior = {
  onStart(run, item) {
    const { definition } = item.planItem;
    if (definition.type !== 'externalWorkerTask') return;
    const variables = inValues(run, item, definition.inParameters);
    countValue(run.agenda, variables);
    emit(run, item.caseInstance, {
      type: 'externalWorkCreated',
      ...factsOf(item),
      topic: definition.topic,
      variables,
    });
  },
  onTransition(run, item, transition) {
    const isCancelled = transition === 'exit' || transition === 'terminate';
    if (!isCancelled || !isAtWork(item)) return;
    emit(run, item.caseInstance, { type: 'externalWorkCancelled', ...factsOf(item) });
  },
  onTrigger(run, item) {
    plan(run, { kind: 'complete', item });
  },
};
