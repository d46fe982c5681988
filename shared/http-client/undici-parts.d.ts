/** Files of undici that are imported one by one: its index reads fetch, web sockets and caches as well, half a megabyte. */

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  const request: Dispatcher['request'];
  export default request;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';

  export default buildConnector;
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';

  export default Agent;
}
