import { publicAccess, type Route, route } from '../../../shared/http/route.ts';
import { health } from '../schemas.ts';
import type { HealthService } from './health-service.ts';

/** The route that monitors ask. */
export function healthRoute(healthService: HealthService): Route {
  return route({
    operationId: 'getHealth',
    method: 'GET',
    path: '/api/v1/health',
    summary: 'Returns whether the platform is up, its version and the enabled modules',
    access: publicAccess,
    responses: {
      200: {
        description: 'Up',
        schema: health,
        example: {
          status: 'UP',
          version: '0.1.0',
          stage: 'prod',
          modules: ['settings'],
          checks: { table: 'UP' },
        },
      },
      503: {
        description: 'Down',
        schema: health,
        example: {
          status: 'DOWN',
          version: '0.1.0',
          stage: 'prod',
          modules: ['settings'],
          checks: { table: 'DOWN' },
        },
      },
    },
    handle: async () => {
      const body = await healthService.health();
      return { status: body.status === 'UP' ? 200 : 503, body };
    },
  });
}
