import { defineProblems } from './problem.ts';

/** For rate-limited routes: such a route lists `limitProblems.tooManyRequests`. */
export const limitProblems = defineProblems({
  tooManyRequests: {
    code: 'TOO_MANY_REQUESTS',
    status: 429,
    title: 'Too many requests',
    describe: ({ retryAfterSeconds }: { retryAfterSeconds: number }) => {
      const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
      return { detail: `Try again in ${seconds} s.`, headers: { 'retry-after': String(seconds) } };
    },
  },
});
