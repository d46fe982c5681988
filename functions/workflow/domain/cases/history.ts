import type { Command, Effect } from '../cmmn/index.ts';

/** History entry of a command: who gave it, and what it changed in the case. */
export interface HistoryEntry {
  readonly caseInstanceId: string;
  readonly id: string;
  readonly at: string;
  readonly by?: string;
  /** The command, with the instance or name that it was for. */
  readonly command: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly changes: readonly HistoryChange[];
}

/** One thing that a command has changed: an effect of the engine. */
export type HistoryChange = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Effects that repeat what others say. */
const SILENT: ReadonlySet<Effect['type']> = new Set([
  'planItemEnded',
  'caseCompletableChanged',
  'stageCompletableChanged',
]);

/** Members of a command that say what it was for; the variables are among the changes. */
const NAMING: readonly string[] = [
  'planItemInstanceId',
  'discretionaryItemId',
  'containerInstanceId',
  'name',
  'dueAt',
  'force',
  'outcome',
  'reason',
];

/** The effects of one case, as its history stores them. */
export function changesIn(effects: readonly Effect[]): HistoryChange[] {
  return effects.flatMap((effect) => {
    if (SILENT.has(effect.type)) return [];
    const { caseInstanceId: _, at: _at, by: _by, ...change } = effect;
    return [change];
  });
}

/** What the history says of the command itself. */
export function summaryOf(command: Command): HistoryEntry['command'] {
  const named = Object.entries(command).filter(
    ([name, value]) => NAMING.includes(name) && value !== undefined,
  );
  return { type: command.type, ...Object.fromEntries(named) };
}
