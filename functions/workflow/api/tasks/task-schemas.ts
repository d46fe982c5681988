import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import {
  instant,
  keyText,
  optionalBody,
  outcome,
  someVariables,
  transientVariables,
  variables,
} from '../schema-parts.ts';

/** Largest body of a draft, in bytes. */
export const MAX_DRAFT_BYTES = 102_400;
const MAX_BULK = 100;

const taskId = lazy(() => keyText('Id of the task.'));
export const taskParams = lazy(() => z.strictObject({ taskId: taskId() }));
export const engineTaskParams = lazy(() => z.strictObject({ engineTaskId: taskId() }));
export const entityParams = lazy(() =>
  z.strictObject({
    entityType: keyText('Type of the business record.'),
    entityId: keyText('Id of the business record.'),
  }),
);

const user = lazy(() => keyText('Id or username of a user.'));
const comment = lazy(() =>
  z.string().min(1).max(4_000).optional().describe('Remark, for the history.'),
);
const remark = lazy(() => z.strictObject({ comment: comment() }));
export const emptyBody = lazy(() => optionalBody(z.strictObject({})));
export const remarkBody = lazy(() => optionalBody(remark()));
export const assignBody = lazy(() =>
  remark().extend({ assignee: user().nullable().describe('null: back to the candidates.') }),
);
export const delegateBody = lazy(() =>
  remark()
    .extend({
      assignee: user().optional(),
      userId: user().optional().describe('Another name of assignee.'),
      toUserId: user().optional().describe('Another name of assignee.'),
    })
    .refine((body) => namesOf(body).length === 1, {
      path: ['assignee'],
      message: 'or userId or toUserId: exactly one',
    })
    .transform((body) => ({ comment: body.comment, to: namesOf(body)[0] ?? '' })),
);

const namesOf = (
  body: {
    readonly [name in 'assignee' | 'userId' | 'toUserId']?: string | undefined;
  },
) => [body.assignee, body.userId, body.toUserId].filter((name) => name !== undefined);

const completionMembers = lazy(() => ({
  formData: variables(
    'What the form holds: enters the business record as far as its entity has such fields, and becomes variables of the case, where variables win; values of encrypted and write-only fields do not.',
  ).optional(),
  variables: someVariables(),
  localVariables: variables('Values of the task itself.').optional(),
  transientVariables: transientVariables(),
  outcome: outcome('How it was decided; becomes the variable form_<taskDefinitionKey>_outcome.'),
  comment: comment(),
}));
export const completeBody = lazy(() => optionalBody(z.strictObject(completionMembers())));
export const draftBody = lazy(() =>
  z.strictObject({
    formData: variables(
      'What the form holds so far; values of encrypted and write-only fields are not kept.',
    ),
    variables: someVariables(),
  }),
);
export const updateBody = lazy(() =>
  remark()
    .extend({
      name: z.string().min(1).max(4_000).optional(),
      dueDate: instant().nullable().optional().describe('null: without a due date.'),
      priority: z.int().min(0).max(1_000_000).optional(),
    })
    .refine(
      ({ name, dueDate, priority }) => [name, dueDate, priority].some((x) => x !== undefined),
      {
        message: 'must change something: name, dueDate or priority',
      },
    ),
);
export const substituteParams = lazy(() =>
  z.strictObject({ user: keyText('Id or username of the absent user.') }),
);
export const substituteBody = lazy(() =>
  z.strictObject({
    substitute: user(),
    from: instant().optional().describe('When it begins; now by default.'),
    until: instant().describe('When it ends.'),
  }),
);
export const commentBody = lazy(() =>
  z.strictObject({ text: z.string().min(1).max(4_000).describe('The remark.') }),
);
export const bulkBody = lazy(() => {
  const tasks = {
    taskIds: z
      .array(taskId())
      .min(1)
      .max(MAX_BULK)
      .refine((ids) => new Set(ids).size === ids.length, 'must name each task once'),
  };
  return z
    .discriminatedUnion('action', [
      z.strictObject({ action: z.literal('claim'), ...tasks }),
      z.strictObject({ action: z.literal('unclaim'), ...tasks }),
      z.strictObject({ action: z.literal('assign'), assignee: user().nullable(), ...tasks }),
      z.strictObject({ action: z.literal('complete'), ...completionMembers(), ...tasks }),
    ])
    .meta({ id: 'TaskBulk' });
});
