import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { modelMembers, shownInstance } from './snapshot-schemas.ts';

const instant = lazy(() => z.iso.datetime());

export const caseModel = lazy(() =>
  z
    .object({
      caseDefinitionKey: z.string(),
      name: z.string().nullable(),
      planModelId: z.string(),
      ...modelMembers(),
    })
    .meta({ id: 'CaseModel' }),
);

export const caseProgress = lazy(() =>
  z
    .object({
      caseInstanceId: z.string(),
      workflowCode: z.string(),
      definitionVersion: z.int(),
      name: z.string().optional(),
      businessKey: z.string().optional(),
      businessStatus: z.string().optional(),
      state: z.string(),
      startedBy: z.string().optional(),
      startedAt: instant(),
      endedAt: instant().optional(),
      planItems: z
        .array(
          z.object({
            planItemId: z.string().describe('Of the model.'),
            states: z
              .record(z.string(), z.int())
              .describe('How many of its instances are in each state.'),
            latest: shownInstance().describe('The newest that is open, else the newest.'),
          }),
        )
        .describe('The plan items that have instances.'),
      truncated: z.boolean().describe('More than 2 000 instances have ended; not all are counted.'),
    })
    .meta({ id: 'CaseProgress' }),
);
