function agent.resolve()
  error(("x"):rep(10000000))
end
