import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { FindPublished } from './model-compiler.ts';

/** Finds cases and decisions that are published for a tenant: its own, and those of none. */
export const publishedAmong =
  (repository: Pick<DefinitionRepository, 'findPublished'>, tenantCode: string): FindPublished =>
  async (list, keys) => {
    const tenants = tenantCode === '' ? [''] : [tenantCode, ''];
    const found = await Promise.all(
      keys.map(async (key) => {
        for (const tenant of tenants) {
          if (await repository.findPublished(tenant, list, key)) return [key];
        }
        return [];
      }),
    );
    return found.flat();
  };
