export { type IdentityConfig, idpSection } from './configuration.ts';
export { createServices, type IdentityParts } from './services.ts';
