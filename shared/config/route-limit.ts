import * as z from 'zod';

/** A route of the gateway with a limit of its own. */
export interface RouteLimit {
  /** Method and path: `POST /broker/dispatch`, `ANY /api/v1/dynamic/{proxy+}`. */
  readonly route: string;
  /** Steady requests per second. */
  readonly rate: number;
  /** Requests at once. */
  readonly burst: number;
}

/** How the gateway writes a route: a part of a path is a text or `{name}`, the last one may be `{proxy+}`. */
const ROUTE_KEY =
  /^(?:ANY|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:\/(?:[\w.~:-]+|\{\w+\}))*(?:\/\{proxy\+\})?$/;

/** A limit as the configuration writes it. */
export const routeLimit = () =>
  z.strictObject({
    route: z
      .string()
      .regex(ROUTE_KEY, 'must be a method and a path, such as POST /broker/dispatch'),
    rate: z.int().min(1).max(10_000),
    burst: z.int().min(1).max(10_000),
  });
