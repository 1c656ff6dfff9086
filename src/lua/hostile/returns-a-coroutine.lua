function agent.resolve()
  return { system = coroutine.create(print) }
end
