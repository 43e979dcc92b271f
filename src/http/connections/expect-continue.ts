/**
 * Answers `Expect: 100-continue`, with which a caller asks before it sends its body. A route that reads bodies answers 100 only
 * after all other checks of the request; elsewhere 100 is sent at once.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const asking = new WeakSet<IncomingMessage>()

/** @param isHeld whether the route of an address sends the 100 itself, with {@link askForBody} */
export function holdContinue(server: Server, isHeld: (address: string) => boolean): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (isHeld(request.url as string)) asking.add(request)
    else response.writeContinue()
    server.emit('request', request, response)
  })
}

/** Sends 100 if the caller waits for it. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (asking.delete(request)) response.writeContinue()
}
