/** Position and size, in units of the drawing. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A corner of a line. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An entry or exit criterion of a plan item. */
export interface Criterion {
  readonly id: string;
  readonly sentryId: string;
}

/** A plan item of the model, in the form of the API. */
export interface ModelItem {
  readonly id: string;
  readonly definitionKey: string;
  readonly name: string;
  readonly type: string;
  readonly parentPlanItemId?: string | undefined;
  readonly isDiscretionary: boolean;
  readonly entryCriteria: readonly Criterion[];
  readonly exitCriteria: readonly Criterion[];
}

/** A sentry of the model. */
export interface ModelSentry {
  readonly id: string;
  readonly onParts: readonly {
    readonly sourcePlanItemId?: string | undefined;
    readonly standardEvent: string;
  }[];
}

/** A drawing of the document: diagram interchange (CMMN 1.1, 6.2). */
export interface ModelDiagram {
  readonly shapes: readonly {
    readonly elementId: string;
    readonly bounds: Box;
    readonly isCollapsed?: boolean | undefined;
  }[];
  readonly edges: readonly {
    /** The on-part, or what is at the beginning of the line. */
    readonly elementId?: string | undefined;
    readonly sourceId?: string | undefined;
    readonly targetId?: string | undefined;
    readonly waypoints: readonly Point[];
  }[];
}

/** Data from which a case is drawn. */
export interface CaseModel {
  readonly caseDefinitionKey: string;
  readonly name: string | null;
  readonly planModelId: string;
  readonly exitCriteria: readonly Criterion[];
  readonly planItems: readonly ModelItem[];
  readonly sentries: readonly ModelSentry[];
  readonly diagrams: readonly ModelDiagram[];
}

/** An instance of a plan item, in the form of the API. */
export interface ItemInstance {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly createdAt: string;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  readonly dueAt?: string | undefined;
  readonly taskId?: string | undefined;
  readonly childCaseInstanceId?: string | undefined;
}

/** Progress of a plan item of the model. */
export interface ItemProgress {
  readonly planItemId: string;
  /** How many instances are in each state. */
  readonly states: Readonly<Record<string, number>>;
  /** The newest one that is open, else the newest. */
  readonly latest: ItemInstance;
}

/** How far a case has come. */
export interface CaseProgress {
  readonly caseInstanceId: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly name?: string | undefined;
  readonly businessKey?: string | undefined;
  readonly businessStatus?: string | undefined;
  readonly state: string;
  readonly startedBy?: string | undefined;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly planItems: readonly ItemProgress[];
  readonly truncated: boolean;
}

/** Which of the shapes of CMMN an item has. */
export type ShapeKind = 'stage' | 'task' | 'milestone' | 'listener';

export function kindOf(type: string): ShapeKind {
  if (type === 'stage' || type === 'milestone') return type;
  return type.endsWith('Listener') ? 'listener' : 'task';
}

/** A line from what happens to what waits for it. */
export interface Link {
  readonly sourceId: string;
  readonly targetId: string;
  readonly criterionId: string;
  readonly event: string;
}

/** What has criteria on its border: the case itself, by the id of its plan model, and its plan items. */
export type Bordered = Pick<ModelItem, 'id' | 'type' | 'entryCriteria' | 'exitCriteria'>;

export const caseAsBordered = ({
  planModelId: id,
  exitCriteria,
}: Pick<CaseModel, 'planModelId' | 'exitCriteria'>): Bordered => ({
  ...{ id, type: 'stage', entryCriteria: [] },
  exitCriteria,
});

/** The lines from plan items to the criteria of others and of the case itself. */
export function linksOf(model: CaseModel): Link[] {
  const { planItems, sentries } = model;
  const known = new Set(planItems.map(({ id }) => id));
  const byId = new Map(sentries.map((sentry) => [sentry.id, sentry]));
  const bordered = [...planItems, caseAsBordered(model)];
  return bordered.flatMap(({ id: targetId, entryCriteria, exitCriteria }) =>
    [...entryCriteria, ...exitCriteria].flatMap(({ id: criterionId, sentryId }) =>
      (byId.get(sentryId)?.onParts ?? []).flatMap(
        ({ sourcePlanItemId: sourceId, standardEvent }) =>
          sourceId !== undefined && known.has(sourceId)
            ? [{ sourceId, targetId, criterionId, event: standardEvent }]
            : [],
      ),
    ),
  );
}
