import type { PlatformConfig } from '../../../../shared/config/index.ts';
import type { FilePart } from '../../../../shared/http/form.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { accepted, created, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { DeclaredProblem } from '../../../../shared/problems/problem.ts';
import type { DeploymentService } from '../../definitions/deployment-service.ts';
import type { NewDeployment } from '../../definitions/new-version.ts';
import type { DeploymentCascade } from '../../deletions/deployment-cascade.ts';
import { problems } from '../../errors.ts';
import { pageOf } from '../page-example.ts';
import { CMMN_PATH } from '../paths.ts';
import * as examples from './definition-examples.ts';
import { tenantPageQuery, tenantQuery } from './definition-schemas.ts';
import { toDeployed, toDeployment, toDeploymentJob, toOutcome } from './definition-views.ts';
import * as schemas from './deployment-schemas.ts';
import { MAX_MODEL_BODY_BYTES } from './model-schemas.ts';
import { utf8Text } from './utf8-text.ts';

export interface DeploymentRouteServices {
  readonly deploymentService: OnDemand<DeploymentService>;
  readonly deploymentCascade: OnDemand<DeploymentCascade>;
}

const access = permission('workflow:definition');
const tag = 'Workflow definitions';
const PATH = `${CMMN_PATH}/deployments`;
const JOB_PATH = `${PATH}/{deploymentId}/jobs/{jobId}`;
const deletion = { schema: schemas.deploymentJob, example: examples.deploymentJob };
const outcome = { schema: schemas.deploymentOutcome, example: examples.deploymentOutcome };

/**
 * Routes of deployments.
 * @param ofProcesses problems of processes that come along, where there are any
 */
export function deploymentRoutes(
  { deploymentService, deploymentCascade }: DeploymentRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
  ofProcesses: readonly DeclaredProblem[] = [],
): Route[] {
  return [
    route({
      operationId: 'deployCmmn',
      method: 'POST',
      path: PATH,
      summary: 'Deploys a CMMN model as the next version of a workflow',
      description:
        'Checks the model like validate: a model with errors is refused, warnings are in the answer. If the newest version has the same content, the answer is that version, with 200.',
      tag,
      access,
      body: schemas.deployBody,
      bodyExample: examples.newDeployment,
      form: schemas.deployForm,
      formExample: { workflowCode: 'loan', file: examples.xml },
      maxBodyBytes: MAX_MODEL_BODY_BYTES,
      idempotent: true,
      responses: {
        201: {
          ...outcome,
          description: 'The new version',
          headers: { location: 'The deployment.' },
        },
        200: {
          description: 'The newest version, which is the same',
          schema: schemas.deploymentOutcome,
          example: { ...examples.deploymentOutcome, unchanged: true },
        },
      },
      problems: [problems.modelInvalid, problems.codeTaken, ...ofProcesses],
      handle: async ({ body, form, principal }) => {
        const { historyRetention, ...request } = form ? fromForm(form) : body;
        const wanted = { ...request, historyRetentionMs: historyRetention };
        const result = await deploymentService.deploy(wanted, principal);
        const answer = toOutcome(result);
        return result.isUnchanged ? ok(answer) : created(`${PATH}/${answer.deploymentId}`, answer);
      },
    }),
    route({
      operationId: 'listDeployments',
      method: 'GET',
      path: PATH,
      summary: 'Lists deployments, newest first',
      tag,
      access,
      query: () => tenantPageQuery(web),
      responses: {
        200: {
          description: 'A page of deployments',
          schema: schemas.deploymentPage,
          example: pageOf(examples.deployed),
        },
      },
      handle: async ({ query: { tenantCode, ...page }, principal }) => {
        const found = await deploymentService.list(tenantCode, page, principal);
        return ok(toPage({ ...found, content: found.content.map(toDeployed) }));
      },
    }),
    route({
      operationId: 'getDeployment',
      method: 'GET',
      path: `${PATH}/{deploymentId}`,
      summary: 'Reads a deployment with its warnings',
      tag,
      access,
      params: schemas.deploymentParams,
      query: tenantQuery,
      responses: {
        200: {
          description: 'The deployment',
          schema: schemas.deployment,
          example: examples.deployment,
        },
      },
      problems: [problems.deploymentNotFound],
      handle: async ({ params: { deploymentId }, query: { tenantCode }, principal }) =>
        ok(toDeployment(await deploymentService.get(deploymentId, tenantCode, principal))),
    }),
    route({
      operationId: 'deleteDeployment',
      method: 'DELETE',
      path: `${PATH}/{deploymentId}`,
      summary:
        'Deletes a deployment; refused while cases of it are open, unless they are deleted too',
      description:
        'From then on the newest published version of the others is started. Content that ended cases need is kept. With cascade the deployment is unpublished, its cases are ended and deleted, and it is deleted last; repeating the call continues an interrupted deletion.',
      tag,
      access,
      params: schemas.deploymentParams,
      query: schemas.deploymentDeletionQuery,
      responses: {
        204: { description: 'Deleted' },
        202: {
          ...deletion,
          description: 'The cases are more than a request deletes: a job does it',
          headers: { location: 'The job.' },
        },
      },
      problems: [
        problems.deploymentNotFound,
        problems.deploymentInUse,
        problems.deploymentCasesCalled,
      ],
      handle: async ({ params: { deploymentId }, query: { tenantCode, cascade }, principal }) => {
        if (!cascade) {
          await deploymentService.delete(deploymentId, tenantCode, principal);
          return noContent();
        }
        const job = await deploymentCascade.delete(deploymentId, tenantCode, principal);
        if (!job) return noContent();
        const location = `${PATH}/${deploymentId}/jobs/${job.id}`;
        return accepted(toDeploymentJob(job), { location });
      },
    }),
    route({
      operationId: 'getDeploymentJob',
      method: 'GET',
      path: JOB_PATH,
      summary: 'Returns the progress of a deletion with cases',
      ...{ tag, access },
      params: schemas.deploymentJobParams,
      query: tenantQuery,
      responses: { 200: { ...deletion, description: 'The job' } },
      problems: [problems.jobNotFound],
      handle: async ({ params: { deploymentId, jobId }, query: { tenantCode }, principal }) =>
        ok(
          toDeploymentJob(await deploymentCascade.job(deploymentId, jobId, tenantCode, principal)),
        ),
    }),
    route({
      operationId: 'cancelDeploymentJob',
      method: 'POST',
      path: `${JOB_PATH}:cancel`,
      summary: 'Cancels a deletion with cases',
      description:
        'The current step ends first. The deployment stays, unpublished, with its remaining cases.',
      ...{ tag, access },
      params: schemas.deploymentJobParams,
      query: tenantQuery,
      responses: { 202: { ...deletion, description: 'The job is being cancelled' } },
      problems: [problems.jobNotFound, problems.jobEnded],
      handle: async ({ params: { deploymentId, jobId }, query: { tenantCode }, principal }) =>
        accepted(
          toDeploymentJob(
            await deploymentCascade.cancel(deploymentId, jobId, tenantCode, principal),
          ),
        ),
    }),
  ];
}

type DeployForm = Omit<NewDeployment, 'xml' | 'resources' | 'historyRetentionMs'> & {
  readonly historyRetention?: number | undefined;
  readonly file: FilePart;
  readonly resources?: readonly FilePart[] | undefined;
};

/** The request that a form makes. @throws Problem `VALIDATION_FAILED` (400) */
function fromForm({ file, resources = [], ...members }: DeployForm) {
  const names = resources.map(({ fileName }) => fileName);
  const wrong = names.findIndex((name, at) => name === '' || names.indexOf(name) !== at);
  if (wrong >= 0) throw invalid(`/resources/${wrong}`, 'needs a file name of its own');
  return {
    ...members,
    xml: documentOf(file, '/file'),
    resources: resources.map((part, at) => ({
      name: part.fileName,
      xml: documentOf(part, `/resources/${at}`),
    })),
  };
}

function documentOf({ bytes }: FilePart, pointer: string): string {
  const text = utf8Text(bytes);
  if (!text) throw invalid(pointer, 'must be a document in UTF-8 and not empty');
  return text;
}

const invalid = (pointer: string, detail: string) =>
  httpProblems.validationFailed([{ pointer, code: 'INVALID_FILE', detail }]);
