/** Position and size in a diagram, in the units of the document. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A corner of a line. */
export interface Waypoint {
  readonly x: number;
  readonly y: number;
}

/** An element as a diagram draws it (CMMN 1.1, 6.2). */
export interface DiagramShape {
  readonly elementId: string;
  readonly bounds: Bounds;
  readonly isCollapsed?: boolean;
  readonly label?: Bounds;
}

/** A line of a diagram (CMMN 1.1, 6.2): an on-part, or a link between two elements. */
export interface DiagramEdge {
  readonly elementId?: string;
  readonly sourceId?: string;
  readonly targetId?: string;
  readonly waypoints: readonly Waypoint[];
  readonly label?: Bounds;
}

/** A drawing of a model (CMMN 1.1, 6.2). */
export interface Diagram {
  readonly id?: string;
  readonly name?: string;
  readonly shapes: readonly DiagramShape[];
  readonly edges: readonly DiagramEdge[];
}
