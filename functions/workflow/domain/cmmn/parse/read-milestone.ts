import type { ModdleElement } from 'cmmn-moddle';
import type { Milestone } from '../model/milestone.ts';
import type { ElementReader } from './element-reader.ts';
import { type DefinitionBasics, readOverview } from './read-basics.ts';

/** Reads a milestone (CMMN 1.1, 5.4). */
export function readMilestone(
  element: ModdleElement,
  basics: DefinitionBasics,
  reader: ElementReader,
): Milestone {
  return {
    type: 'milestone',
    ...basics,
    milestoneVariable: reader.nameAttribute(element, 'milestoneVariable'),
    businessStatus: reader.expressionAttribute(element, 'businessStatus'),
    ...readOverview(element, reader),
  };
}
