import { CmmnError, shown } from '../../basics/cmmn-error.ts';
import type { Command } from '../../contract/command.ts';
import { type Run, withCause } from '../run/run.ts';
import { applyTaskChanges, requireVariables } from './accompanying.ts';
import { CASE_COMMANDS } from './case-commands.ts';
import { PLAN_ITEM_COMMANDS } from './plan-item-commands.ts';

type Handlers = {
  readonly [Type in Command['type']]: (run: Run, command: Extract<Command, { type: Type }>) => void;
};

/** What each command plans; what follows from it, the agenda does. */
const HANDLERS: Handlers = { ...CASE_COMMANDS, ...PLAN_ITEM_COMMANDS };

/** Checks a command and plans its operations. @throws CmmnError when it is refused */
export function handle(run: Run, command: Command): void {
  if (!Object.hasOwn(HANDLERS, command.type)) {
    const message = `There is no command "${shown(String(command.type))}".`;
    throw new CmmnError('COMMAND_UNKNOWN', message);
  }
  const handler = HANDLERS[command.type] as (run: Run, command: Command) => void;
  requireVariables(run, command);
  applyTaskChanges(run, command);
  withCause(run, 'command', () => handler(run, command));
}
