/**
 * `Expect: 100-continue`: a caller that asks before it sends its body. Where a route reads bodies, it is told to go on only
 * once nothing else speaks against the request; elsewhere at once.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const asking = new WeakSet<IncomingMessage>()

/** @param isHeld whether the route behind an address tells its callers by itself, by {@link askForBody} */
export function holdContinue(server: Server, isHeld: (address: string) => boolean): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (isHeld(request.url as string)) asking.add(request)
    else response.writeContinue()
    server.emit('request', request, response)
  })
}

/** Does nothing when the caller has not asked. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (asking.delete(request)) response.writeContinue()
}
