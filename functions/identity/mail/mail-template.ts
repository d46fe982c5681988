import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { Mail } from './mailer.ts';

/** Text of a mail; `{{name}}` stands for a fact. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
}

const schema = lazy(() =>
  z.object({
    subject: z.string().min(1).max(500),
    text: z.string().min(1).max(100_000),
    html: z.string().min(1).max(200_000).optional(),
  }),
);

/** Where a code names no template. */
export const NEW_ACCOUNT: MailTemplate = {
  subject: 'Your account {{userName}}',
  text: 'Dear {{fullName}},\n\nan account has been made for you. Your user name is {{userName}}.\n',
};

/** The template that a setting holds; `undefined`: it is none. */
export function templateOf(setting: string): MailTemplate | undefined {
  try {
    return schema().safeParse(JSON.parse(setting)).data;
  } catch {
    return undefined;
  }
}

/** The mail of a template. Unknown facts are left empty. */
export function filled(
  { subject, text, html }: MailTemplate,
  facts: Readonly<Record<string, string>>,
): Omit<Mail, 'to'> {
  const fill = (template: string, show = (value: string) => value) =>
    template.replace(/\{\{\s*([A-Za-z][\w.]{0,63})\s*\}\}/g, (_, name: string) =>
      show(Object.hasOwn(facts, name) ? (facts[name] ?? '') : ''),
    );
  return {
    // A line break would begin another header.
    subject: fill(subject).replace(CONTROLS, ' ').trim(),
    text: fill(text),
    ...(html !== undefined && { html: fill(html, escaped) }),
  };
}

const CONTROLS = /\p{Cc}+/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};
const escaped = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
