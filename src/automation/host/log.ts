/** The host's Log (specification 4.3), which takes the place of the library's logarithm of the same name. */
import { any, define, type NativeFunction, text } from '../../script/values.ts'
import { plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const log = define({
  name: 'Log',
  category: 'Log',
  parameters: [any('level'), text('message')],
  returns: 'null',
  about:
    'Writes a line into the log of the run and of the service: the level is Debug, Information, Warning or Error, and Information when it is none of them.',
  body(context, level, message) {
    // Copying and keeping it is work, too.
    context.work(1 + Math.floor(message.length / 100))
    hostOf(context).log.add(plainText(level) ?? '', message)
    return null
  },
})

export const logFunctions: readonly NativeFunction[] = [log]
