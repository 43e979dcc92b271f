/** The console: what operators look after. */
import { startApp } from '../app/start-app.tsx'
import { Console } from './console.tsx'
import { HandedOver } from './session/handed-over.tsx'
import { isForAnotherTab, openAnswers, takeRedirectAnswer } from './session/redirect-answer.ts'

const answer = takeRedirectAnswer()
if (answer !== undefined && isForAnotherTab(answer)) {
  openAnswers().postMessage(answer)
  startApp(<HandedOver />)
  window.close()
} else {
  startApp(<Console answer={answer} />)
}
