import * as z from 'zod';
import { defineSection } from '../../shared/config/section.ts';
import { flag } from '../../shared/config/values.ts';

const schema = z.strictObject({
  enabled: flag(true, 'Switches the identity-source sync on.'),
});

/** `svc.idp`. */
export const idpSection = defineSection({ name: 'idp', schema });
