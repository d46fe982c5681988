import * as z from 'zod';
import { defineSection } from '../section.ts';
import { milliseconds } from '../values.ts';

const schema = () =>
  z.strictObject({
    'refresh-staleness-ms': milliseconds(0, 3_600_000)
      .default(10_000)
      .describe(
        'Longest time a warm environment goes without looking for refreshed settings (ms); 0: it looks at every call.',
      ),
  });

/** `svc.config`: how fast warm environments follow refreshed settings. */
export const refreshSection = defineSection({ name: 'config', schema });
