import { defineProblems } from '../../shared/problems/problem.ts';

/** The problems of the templates module. */
export const problems = defineProblems({
  templateNotFound: {
    code: 'TEMPLATE_NOT_FOUND',
    status: 404,
    title: 'Template not found',
    describe: ({ template }: { template: string }) => `There is no template ${template}.`,
  },
  templateCodeExists: {
    code: 'TEMPLATE_CODE_EXISTS',
    status: 409,
    title: 'Code of a template already in use',
    describe: ({ code }: { code: string }) =>
      `A template has the code ${code}; that of a deleted one stays reserved.`,
  },
  templateDeleted: {
    code: 'TEMPLATE_DELETED',
    status: 409,
    title: 'Template is deleted',
    describe: ({ id }: { id: string }) => `The template ${id} is deleted and cannot be changed.`,
  },
});
