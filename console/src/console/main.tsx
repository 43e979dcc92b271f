/** The console: what operators look after. */
import { startApp } from '../app/start-app.tsx'
import { Console } from './console.tsx'
import { takeRedirectAnswer } from './session/redirect-answer.ts'

startApp(<Console answer={takeRedirectAnswer()} />)
