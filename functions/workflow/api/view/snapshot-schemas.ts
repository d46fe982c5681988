import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';

const rule = lazy(() =>
  z
    .object({ condition: z.string().nullable().describe('null: it always holds.') })
    .meta({ id: 'WorkflowRule' }),
);
const criterion = lazy(() =>
  z
    .object({
      id: z.string(),
      sentryId: z.string(),
      exitType: z.string().optional(),
      exitEventType: z.string().optional(),
    })
    .meta({ id: 'WorkflowCriterion' }),
);
const bounds = lazy(() =>
  z
    .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
    .meta({ id: 'WorkflowBounds' }),
);

const instant = lazy(() => z.iso.datetime());

/** An instance of a plan item as drawings of cases show it. */
export const shownInstance = lazy(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      state: z.string(),
      stageInstanceId: z.string().optional(),
      createdAt: instant(),
      startedAt: instant().optional(),
      endedAt: instant().optional(),
      dueAt: instant().optional().describe('Of a timer.'),
      taskId: z.string().optional(),
      childCaseInstanceId: z.string().optional(),
    })
    .meta({ id: 'WorkflowInstance' }),
);

const planItem = lazy(() =>
  z
    .object({
      id: z.string(),
      definitionKey: z.string(),
      name: z.string(),
      type: z.string().describe('humanTask, stage, milestone, timerEventListener...'),
      stageId: z.string().describe('Definition of the stage, or plan model, that holds it.'),
      parentPlanItemId: z.string().optional().describe('Plan item of that stage.'),
      isDiscretionary: z.boolean(),
      entryCriteria: z.array(criterion()),
      exitCriteria: z.array(criterion()),
      required: rule().nullable(),
      manualActivation: rule().nullable(),
      repetition: z
        .object({
          condition: z.string().nullable(),
          maxInstanceCount: z.int().optional(),
          collection: z.string().optional(),
          elementVariable: z.string().optional(),
          elementIndexVariable: z.string().optional(),
          counterVariable: z.string(),
        })
        .nullable(),
      completionNeutral: rule().nullable(),
      parentCompletion: z.string().optional(),
      autoComplete: z.boolean().optional(),
      assignee: z.string().optional(),
      candidateUsers: z.array(z.string()).optional(),
      candidateGroups: z.array(z.string()).optional(),
      formKey: z.string().optional(),
      displayOrder: z.number().optional(),
      includeInStageOverview: z.boolean().optional(),
      instances: z
        .array(shownInstance())
        .optional()
        .describe('Of the case that was asked for: open ones first.'),
    })
    .meta({ id: 'WorkflowPlanItem' }),
);

const sentry = lazy(() =>
  z
    .object({
      id: z.string(),
      name: z.string().optional(),
      stageId: z.string(),
      triggerMode: z.string(),
      onParts: z.array(
        z.object({
          sourcePlanItemId: z.string().optional(),
          sourceDefinitionKey: z.string().optional(),
          variableName: z.string().optional(),
          standardEvent: z.string(),
        }),
      ),
      ifPart: z.string().nullable(),
    })
    .meta({ id: 'WorkflowSentry' }),
);

const waypoints = lazy(() => z.array(z.object({ x: z.number(), y: z.number() })));
const diagram = lazy(() =>
  z
    .object({
      id: z.string().optional(),
      name: z.string().optional(),
      shapes: z.array(
        z.object({
          elementId: z.string(),
          bounds: bounds(),
          isCollapsed: z.boolean().optional(),
          label: bounds().optional(),
        }),
      ),
      edges: z.array(
        z.object({
          elementId: z.string().optional(),
          sourceId: z.string().optional(),
          targetId: z.string().optional(),
          waypoints: waypoints(),
          label: bounds().optional(),
        }),
      ),
    })
    .meta({ id: 'WorkflowDiagram' }),
);

/** What a model is drawn from. */
export const modelMembers = lazy(() => ({
  exitCriteria: z.array(criterion()).describe('Criteria that end the case.'),
  planItems: z
    .array(planItem())
    .describe('In the order of the model, a stage before what is in it.'),
  sentries: z.array(sentry()),
  diagrams: z.array(diagram()).describe('Drawings of the document (diagram interchange).'),
}));

export const snapshot = lazy(() =>
  z
    .object({
      workflowCode: z.string(),
      tenantCode: z.string(),
      version: z.int().min(1),
      deploymentId: z.string(),
      caseDefinitionKey: z.string(),
      name: z.string().nullable(),
      publishedAt: z.iso.datetime({ precision: 3 }).nullable(),
      cmmnXml: z.string().describe('The document as it was deployed.'),
      ...modelMembers(),
      truncated: z
        .boolean()
        .optional()
        .describe('The case has more instances than the 200 of the answer.'),
    })
    .meta({ id: 'WorkflowSnapshot' }),
);
