import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { PlatformConfig } from '../../shared/config/index.ts';
import type { RouteLimit } from '../../shared/config/route-limit.ts';
import { acknowledge } from '../configuration/acknowledge.ts';
import { LOCAL_STAGE, problem } from '../configuration/configuration.ts';
import { logRetention } from '../configuration/stage.ts';
import type { Encryption } from './encryption.ts';
import { limitRoutes } from './route-limits.ts';

export interface ApiProps {
  readonly stage: string;
  readonly encryption: Encryption;
  readonly config: PlatformConfig;
  /** Origins of pages that call the API. */
  readonly corsOrigins: readonly string[];
}

/** The HTTP API: one proxy route per path prefix, CORS, throttling and access logs. */
export class Api extends Construct {
  readonly httpApi: HttpApi;
  readonly httpStage: HttpStage;
  readonly #owners = new Map<string, string>();
  readonly #routes = new Map<string, HttpRoute>();
  /** The prefixes whose requests the gateway lets pass with a token only. */
  readonly #private = new Set<string>();
  readonly #authorizer: HttpJwtAuthorizer | undefined;
  readonly #integrations = new Map<string, HttpLambdaIntegration>();

  constructor(scope: Construct, id: string, { stage, config, encryption, corsOrigins }: ApiProps) {
    super(scope, id);
    this.httpApi = new HttpApi(this, 'HttpApi', {
      apiName: `svc-cloud-${stage}`,
      createDefaultStage: false,
      corsPreflight: cors(corsOrigins),
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      ...(encryption.key && { encryptionKey: encryption.key }),
      retention: logRetention(stage),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.httpStage = new HttpStage(this, 'Live', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: config.web.rateLimit, burstLimit: config.web.burstLimit },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: accessLogFormat,
      },
    });
    this.#authorizer = stage === LOCAL_STAGE ? undefined : authorizerOf(config);
    acknowledge(this, {
      'AwsSolutions::AwsSolutions-APIG4':
        'The functions verify tokens themselves: whether a path is public depends on data (entities without requireAuth), which an authorizer cannot know. What has no rule is refused.',
    });
  }

  /**
   * Routes path prefixes to a function: the path itself and everything below, with any method.
   * @throws ConfigError `PATH_TAKEN` when a prefix equals, contains or is below that of another module.
   */
  route(
    owner: string,
    prefixes: readonly string[],
    target: IFunction,
    privatePrefixes: readonly string[] = [],
  ): void {
    this.#integration(owner, target);
    for (const prefix of prefixes) {
      if (privatePrefixes.includes(prefix)) this.#private.add(prefix);
      this.#refuseShadowing(owner, prefix);
      this.#owners.set(prefix, owner);
      for (const path of [prefix, `${prefix}/{proxy+}`]) {
        this.#addRoute(HttpMethod.ANY, path, { owner, prefix });
      }
    }
  }

  /**
   * Limits single routes. One that no module has as its own gets a route beside the prefix that it belongs to.
   * @throws ConfigError `ROUTE_LIMIT_UNKNOWN` when no module that is on has its path.
   */
  limit(limits: readonly RouteLimit[]): void {
    const limited = limits.map((limit) => ({
      limit,
      route: this.#routes.get(limit.route) ?? this.#addLimitedRoute(limit.route),
    }));
    limitRoutes(this.httpStage, limited);
  }

  #addLimitedRoute(key: string): HttpRoute {
    const [method = '', path = ''] = key.split(' ');
    const [prefix, owner] =
      [...this.#owners]
        .filter(([taken]) => isBelow(path, taken))
        .sort(([a], [b]) => b.length - a.length)[0] ?? [];
    if (prefix === undefined || owner === undefined) {
      throw problem(
        'ROUTE_LIMIT_UNKNOWN',
        'svc.web.route-limits',
        `${key} is below no path of a module that is on: ${[...this.#owners.keys()].join(', ')}`,
      );
    }
    return this.#addRoute(HttpMethod[method as keyof typeof HttpMethod], path, { owner, prefix });
  }

  #addRoute(
    method: HttpMethod,
    path: string,
    { owner, prefix }: { readonly owner: string; readonly prefix: string },
  ): HttpRoute {
    const integration = this.#integrations.get(owner);
    if (!integration) throw new Error(`The module ${owner} has no function yet`);
    const isGuarded = this.#authorizer && this.#private.has(prefix);
    const [route] = this.httpApi.addRoutes({
      path,
      methods: [method],
      integration,
      ...(isGuarded && { authorizer: this.#authorizer }),
    });
    if (!route) throw new Error(`The gateway has no route ${method} ${path}`);
    this.#routes.set(`${method} ${path}`, route);
    return route;
  }

  /** Routes paths below the prefixes to a function, unless a longer prefix belongs to a module. */
  routeFallback(owner: string, prefixes: readonly string[], target: IFunction): void {
    for (const prefix of prefixes) {
      const integration = this.#integration(owner, target);
      this.httpApi.addRoutes({
        path: `${prefix}/{proxy+}`,
        methods: [HttpMethod.ANY],
        integration,
      });
    }
  }

  /** Routes every path that no module owns to a function. */
  routeUnknownPaths(owner: string, target: IFunction): void {
    new HttpRoute(this, 'UnknownPaths', {
      httpApi: this.httpApi,
      routeKey: HttpRouteKey.DEFAULT,
      integration: this.#integration(owner, target),
    });
  }

  #refuseShadowing(owner: string, prefix: string): void {
    for (const [taken, other] of this.#owners) {
      if (other !== owner && (isBelow(prefix, taken) || isBelow(taken, prefix))) {
        throw problem(
          'PATH_TAKEN',
          `path ${prefix} of ${owner}`,
          `meets ${taken} of ${other}; one would hide routes of the other`,
        );
      }
    }
  }

  #integration(owner: string, target: IFunction): HttpLambdaIntegration {
    const present = this.#integrations.get(owner);
    if (present) return present;
    const integration = new HttpLambdaIntegration(owner, target, { scopePermissionToRoute: false });
    this.#integrations.set(owner, integration);
    return integration;
  }
}

/** Accepts the same tokens as the functions, which verify them again; the rules of the configuration see to it. */
function authorizerOf({ security }: PlatformConfig): HttpJwtAuthorizer | undefined {
  const [issuer] = security.issuers;
  if (!security.gatewayAuthorizer || !issuer) return undefined;
  return new HttpJwtAuthorizer('Tokens', issuer.issuer, {
    jwtAudience: [issuer.audience].flat(),
  });
}

function isBelow(path: string, prefix: string): boolean {
  return `${path}/`.startsWith(`${prefix}/`);
}

function cors(origins: readonly string[]): CorsPreflightOptions | undefined {
  if (origins.length === 0) return undefined;
  return {
    allowOrigins: [...origins],
    allowMethods: [CorsHttpMethod.ANY],
    allowHeaders: [
      'authorization',
      'content-type',
      'if-match',
      'if-none-match',
      'idempotency-key',
      'x-trace-id',
      'traceparent',
    ],
    exposeHeaders: [
      'etag',
      'location',
      'retry-after',
      'x-trace-id',
      'idempotency-replayed',
      'accept-ranges',
      'content-disposition',
      'content-range',
    ],
    maxAge: Duration.minutes(10),
  };
}

/** One JSON line per request; names of the gateway's context variables. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    method: '$context.httpMethod',
    path: '$context.path',
    routeKey: '$context.routeKey',
    status: '$context.status',
    responseLatencyMs: '$context.responseLatency',
    integrationLatencyMs: '$context.integrationLatency',
    integrationStatus: '$context.integrationStatus',
    integrationError: '$context.integrationErrorMessage',
    responseBytes: '$context.responseLength',
    sourceIp: '$context.identity.sourceIp',
  }),
);
