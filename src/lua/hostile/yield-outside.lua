function agent.resolve()
  coroutine.yield("out")
end
