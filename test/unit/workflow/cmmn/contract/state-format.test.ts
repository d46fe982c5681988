import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type CaseDefinition,
  type EngineState,
  execute,
  readState,
  STATE_FORMAT_VERSION,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, startCase } from '../../../../helpers/cmmn/cmmn.ts';

/**
 * A state of every version there has been, with the compiled model that it belongs to: written once, when the
 * version was new, and never changed since.
 */
interface Kept {
  readonly definition: CaseDefinition;
  readonly state: { readonly formatVersion: number };
}

const FOLDER = new URL('../../../../fixtures/cmmn/states/', import.meta.url);
const FILES = readdirSync(FOLDER).sort();
const read = (file: string): Kept =>
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Kept;

describe('a stored state', () => {
  it('is kept for every version', () => {
    const versions = Array.from({ length: STATE_FORMAT_VERSION }, (_, index) => index + 1);

    expect(FILES).toEqual(versions.map((version) => `version-${version}.json`));
  });

  it.each(FILES)('%s is read and goes on', (file) => {
    const { definition, state: stored } = read(file);
    let state: EngineState = readState(stored);
    const deployed = { id: definition.key, definition };
    const environment = {
      definitions: { latest: () => deployed, byId: () => deployed },
      now: Date.UTC(2026, 5, 1),
      newId: () => 'new',
    };
    const [root] = state.cases;
    const open = root?.planItems.filter((item) => item.task && item.state === 'active') ?? [];

    expect(open.map(({ name }) => name)).toEqual(['Check letter', 'Ask back']);
    for (const { id } of open) {
      state = execute(state, { type: 'completeTask', planItemInstanceId: id }, environment).state;
    }
    const timer = state.cases[0]?.planItems.find((item) => item.timer);
    state = execute(
      state,
      { type: 'fireTimer', planItemInstanceId: timer?.id ?? '' },
      environment,
    ).state;

    expect(state.formatVersion).toBe(STATE_FORMAT_VERSION);
    expect(state.cases[0]).toMatchObject({
      state: 'completed',
      variables: { sender: 'ann', reminded: true },
    });
  });

  it('of a later version is refused', () => {
    const later = { formatVersion: STATE_FORMAT_VERSION + 1 };

    expect(() => readState(later)).toThrow(
      expect.objectContaining({ code: 'STATE_VERSION_UNKNOWN' }),
    );
  });

  it('of a later version is refused by every command, and so is a model', async () => {
    const running = await startCase(aModel(aTask('A')));
    const { state, definitions } = running.world;
    const environment = { definitions, now: 0, newId: () => 'new' };
    const later = { ...state, formatVersion: STATE_FORMAT_VERSION + 1 } as EngineState;
    const deployed = definitions.latest('theCase');
    const definition = { ...deployed?.definition, formatVersion: 2 } as unknown as CaseDefinition;
    const laterModel = { ...definitions, byId: () => ({ id: 'theCase', definition }) };

    const refusal = (code: string): unknown => expect.objectContaining({ code });
    expect(() => execute(later, { type: 'evaluate' }, environment)).toThrow(
      refusal('STATE_VERSION_UNKNOWN'),
    );
    expect(() =>
      execute(state, { type: 'evaluate' }, { ...environment, definitions: laterModel }),
    ).toThrow(refusal('MODEL_VERSION_UNKNOWN'));
  });

  it('of no version is refused', () => {
    expect(() => readState({ formatVersion: 0 })).toThrow('cannot be read');
  });
});
