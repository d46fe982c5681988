import type { ModdleElement } from 'cmmn-moddle';
import {
  type CaseDefinition,
  type CaseFileItem,
  type Definitions,
  MODEL_FORMAT_VERSION,
} from '../model/case-definition.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';
import { refuseListeners } from './read-lifecycle-listeners.ts';
import { readCriteria } from './read-plan-item.ts';
import type { CaseFile } from './read-sentry.ts';
import { readStage } from './read-stage.ts';

/** Reads the cases of a document (CMMN 1.1, 5.1 and 5.2); what is wrong with them is reported on the way. */
export function readDefinitions(root: ModdleElement, reader: ElementReader): Definitions {
  return {
    formatVersion: MODEL_FORMAT_VERSION,
    name: reader.attribute(root, 'name'),
    targetNamespace: reader.attribute(root, 'targetNamespace'),
    cases: elementsIn(root, 'cases').flatMap((element) => readCase(element, reader) ?? []),
  };
}

/** Key and name of every case that has a key, also of those that cannot be read. */
export const listCases = (root: ModdleElement): readonly { key: string; name?: string }[] =>
  elementsIn(root, 'cases').flatMap(({ id: key, name }) =>
    key === undefined ? [] : [{ key, name: typeof name === 'string' ? name : undefined }],
  );

function readCase(element: ModdleElement, reader: ElementReader): CaseDefinition | undefined {
  if (element.id === undefined) reader.problem('CASE_ID_MISSING', 'A case has no id.', element);
  refuseListeners(element, reader);
  if (reader.extensions(element, 'eventType').length > 0) {
    const message = 'Cases that an event of an event registry starts are not supported.';
    reader.problem('EVENT_TYPE_UNSUPPORTED', message, element);
  }
  const planModel = elementIn(element, 'casePlanModel');
  if (!planModel) {
    reader.problem('PLAN_MODEL_MISSING', 'The case has no case plan model.', element);
    return undefined;
  }
  const caseFileItems = readCaseFile(elementIn(element, 'caseFileModel'), reader);
  const caseFile: CaseFile = new Map(caseFileItems.map(({ id, name }) => [id, name]));
  return {
    formatVersion: MODEL_FORMAT_VERSION,
    key: reader.idOf(element, 'case'),
    name: reader.attribute(element, 'name'),
    initiatorVariableName: reader.attribute(element, 'initiatorVariableName'),
    roles: readRoles(element),
    caseFileItems,
    planModel: {
      ...readStage(planModel, reader, caseFile),
      exitCriteria: readCriteria(planModel, 'exitCriteria', reader.idOf(planModel, 'plan'), reader),
    },
  };
}

function readRoles(element: ModdleElement): CaseDefinition['roles'] {
  const roles = elementIn(element, 'caseRoles');
  if (!roles) return [];
  return elementsIn(roles, 'role').flatMap(({ id, name }) =>
    id === undefined ? [] : [{ id, name: name as string | undefined }],
  );
}

/** Case file items (CMMN 1.1, 5.3) and the items nested in them, flat. */
function readCaseFile(element: ModdleElement | undefined, reader: ElementReader): CaseFileItem[] {
  if (!element) return [];
  return elementsIn(element, 'caseFileItems').flatMap((item) => {
    const id = reader.idOf(item, 'caseFileItem');
    const nested = readCaseFile(elementIn(item, 'children'), reader);
    return [{ id, name: reader.attribute(item, 'name') ?? id }, ...nested];
  });
}
