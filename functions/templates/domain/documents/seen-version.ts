export { requireSeen, type SeenVersion } from '../../../../shared/problems/seen-version.ts';
