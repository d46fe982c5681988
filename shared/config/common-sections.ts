import type { ConfigOf } from './section.ts';
import { mqSection } from './sections/mq.ts';
import { refreshSection } from './sections/refresh.ts';
import { securitySection } from './sections/security.ts';
import { webSection } from './sections/web.ts';

/** Sections that every function reads, whatever its module. */
export const commonSections = [refreshSection, mqSection, webSection, securitySection] as const;

/** The configuration that every function has; a module adds its own section to it. */
export type PlatformConfig = ConfigOf<(typeof commonSections)[number]>;

/** A configuration with sections of any module. */
export type AnyConfig = PlatformConfig & Readonly<Record<string, unknown>>;
