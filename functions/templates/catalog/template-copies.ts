import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { Template } from '../domain/documents/template.ts';
import type { FileRepository } from '../store/file-repository.ts';
import type { FileService } from './file-service.ts';
import type { TemplateCatalog } from './template-catalog.ts';

/** What the copy of a template is called. */
export interface CopyNames {
  readonly code: string;
  /** Left out: that of the original. */
  readonly name?: string | undefined;
}

interface TemplateCopiesDependencies {
  readonly catalog: TemplateCatalog;
  readonly fileRepository: FileRepository;
  readonly fileService: FileService;
  readonly unitOfWork: RunUnitOfWork;
}

/** Copies templates with their declarations and newest file. */
export class TemplateCopies {
  readonly #deps: TemplateCopiesDependencies;

  constructor(dependencies: TemplateCopiesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Makes a template like another, a deleted one too; with its file or not at all.
   * @throws Problem `TEMPLATE_NOT_FOUND` (404), `TEMPLATE_CODE_EXISTS` (409)
   */
  async copy(id: string, { code, name }: CopyNames, principal: Principal): Promise<Template> {
    const { catalog, fileRepository, fileService, unitOfWork } = this.#deps;
    const original = await catalog.get(id, principal);
    await catalog.requireFree(code, principal);
    const { type, entityType, description, numberPattern } = original;
    return unitOfWork(async (unit) => {
      const facts = { name: name ?? original.name, type, entityType, description, numberPattern };
      const draft = catalog.drafted({ code, ...facts }, principal);
      const fields = await fileRepository.fields(id);
      if (fields.length > 0) fileRepository.stageFields(unit, draft.id, fields);
      const file = await fileService.stageCopy(unit, original, draft.id, principal);
      const made = { ...draft, ...(file && { file }) };
      catalog.stageNew(unit, made);
      return made;
    });
  }
}
