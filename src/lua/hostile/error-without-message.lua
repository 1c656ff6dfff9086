function agent.resolve()
  error()
end
