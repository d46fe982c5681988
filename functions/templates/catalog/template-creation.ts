import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { FieldDeclaration } from '../domain/declarations/check-fields.ts';
import type { Template } from '../domain/documents/template.ts';
import type { FileRepository } from '../store/file-repository.ts';
import type { FieldService } from './field-service.ts';
import type { NewTemplate, TemplateCatalog } from './template-catalog.ts';

interface TemplateCreationDependencies {
  readonly catalog: TemplateCatalog;
  readonly fieldService: Pick<FieldService, 'checked'>;
  readonly fileRepository: FileRepository;
  readonly unitOfWork: RunUnitOfWork;
}

/** Makes templates with the declarations of their merge fields. */
export class TemplateCreation {
  readonly #deps: TemplateCreationDependencies;

  constructor(dependencies: TemplateCreationDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Makes a template with its declarations, or not at all.
   * @throws Problem `TEMPLATE_CODE_EXISTS` (409), `API_SOURCE_NOT_SUPPORTED`, `MERGE_FIELDS_INVALID` (422)
   */
  async create(
    facts: NewTemplate,
    declarations: readonly FieldDeclaration[],
    principal: Principal,
  ): Promise<Template> {
    const { catalog, fieldService, fileRepository, unitOfWork } = this.#deps;
    if (declarations.length === 0) return catalog.create(facts, principal);
    return unitOfWork(async (unit) => {
      const fields = await fieldService.checked(declarations, principal);
      const template = catalog.drafted(facts, principal);
      fileRepository.stageFields(unit, template.id, fields);
      catalog.stageNew(unit, template);
      return template;
    });
  }
}
