import type { Route } from '../../../shared/http/route.ts';
import { type ValidationRouteServices, validationRoutes } from './validation-routes.ts';

export type WorkflowRouteServices = ValidationRouteServices;

/** Routes of the workflow module. */
export function workflowRoutes(services: WorkflowRouteServices): Route[] {
  return [...validationRoutes(services)];
}
