import { defineProblems } from '../../shared/module/function.ts';

/** The problems of the notes module. */
export const problems = defineProblems({
  noteNotFound: {
    code: 'NOTE_NOT_FOUND',
    status: 404,
    title: 'Note not found',
    describe: ({ id }: { id: string }) => `There is no note with the id ${id}.`,
  },
});
