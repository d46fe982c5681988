import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts the OpenID provider of another project (`test/tools/identity-peers`) as a process of its own. */
export async function spawnOpenId(redirectUri: string) {
  const child = spawn(process.execPath, ['test/tools/identity-peers/serve-openid.ts'], {
    env: { ...process.env, REDIRECT_URIS: redirectUri },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line)) as { readonly url: string };
  return { url, host: new URL(url).host, close: () => child.stdin.end() };
}

/** Logs in by the provider's own pages. @returns the address that the browser is sent back to */
export async function logInAtPages(address: string, login: string): Promise<string> {
  const { origin } = new URL(address);
  const jar = new Map<string, string>();
  const visit = async (url: string, form?: URLSearchParams): Promise<string> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      ...{ redirect: 'manual', headers: { cookie } },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) {
      if (form) throw new Error(`The provider answers ${answer.status}`);
      return visit(url, new URLSearchParams({ prompt: 'login', login, password: 'any' }));
    }
    const target = new URL(next, url);
    return target.origin === origin ? visit(target.href) : target.href;
  };
  return visit(address);
}
