function agent.resolve()
  sleep(3600)
end
