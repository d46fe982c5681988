import type { CfnStage, HttpRoute, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { RouteLimit } from '../../shared/config/route-limit.ts';

/** Limits by route: those of modules, and over them those of the configuration. */
export function routeLimits(
  ofModules: readonly RouteLimit[],
  configured: readonly RouteLimit[],
): RouteLimit[] {
  const all = new Map([...ofModules, ...configured].map((limit) => [limit.route, limit]));
  return [...all.values()];
}

/** Gives routes of a stage limits of their own. A stage with a limit of a route that does not exist cannot be deployed. */
export function limitRoutes(
  stage: HttpStage,
  limited: readonly { readonly limit: RouteLimit; readonly route: HttpRoute }[],
): void {
  if (limited.length === 0) return;
  const resource = stage.node.defaultChild as CfnStage;
  resource.routeSettings = Object.fromEntries(
    limited.map(({ limit: { route, rate, burst } }) => [
      route,
      { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst, DetailedMetricsEnabled: true },
    ]),
  );
  for (const { route } of limited) resource.node.addDependency(route);
}
