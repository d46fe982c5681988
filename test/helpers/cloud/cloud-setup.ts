import { writeFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { ensurePythonTool, fuzzTool } from '../../../bin/dev/local-cloud/install.ts';
import { identityContext, startIdentityPeers } from '../../../bin/dev/start/identity-peers.ts';
import { printFailure, say } from '../../../bin/dev/terminal/output.ts';
import { modulesEntry } from '../../tools/deployed-modules.ts';
import { documentServerFor } from '../../tools/document-server/with-platform.ts';
import { randomPort, startTestPlatform } from '../../tools/test-platform.ts';
import { recordedCallsFile, recordedTemplateFile } from '../grants/recorded-calls-file.ts';
import { allowedOrigin } from './allowed-origin.ts';
import { startCloudControl } from './cloud-control.ts';

/** Starts the platform under test before the first journey and takes it away after the last one. */
export default async function setUpCloud(project: TestProject): Promise<() => Promise<void>> {
  const port = await randomPort();
  const documentServer = await documentServerFor(port);
  const peers = await startIdentityPeers(port, await randomPort());
  const stopServers = async () => {
    await Promise.all([documentServer.server.close(), peers.stop()]);
  };
  try {
    const platform = await startTestPlatform({
      enforceIam: true,
      recording: recordedCallsFile,
      modulesEntry,
      port,
      context: {
        ...documentServer.context,
        ...identityContext(peers, port),
        'svc.web.cors-origins': allowedOrigin,
        'svc.notes.max-length': '200',
        'svc.security.test-clock': 'true',
      },
      onProgress: (text) => say(`cloud tests: ${text}`),
    });
    writeFileSync(recordedTemplateFile, platform.templateBody);
    const control = await startCloudControl(platform);
    project.provide('platform', platform.outputs);
    project.provide('cloudControl', control.url);
    project.provide('identityPeers', {
      directory: peers.directory.url,
      openid: peers.openid.url,
    });
    await ensurePythonTool(fuzzTool, {
      onInstall: ({ name }) => say(`cloud tests: installing ${name} into .local/ (once)`),
    });
    say(`cloud tests: running against ${platform.outputs.baseUrl}`);
    return async () => {
      await control.close();
      await platform.stop();
      await stopServers();
    };
  } catch (error) {
    await stopServers();
    printFailure(error);
    throw error;
  }
}
